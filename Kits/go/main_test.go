// SPDX-License-Identifier: Apache-2.0 OR 0BSD

package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestAPieceEndsWhenTheTimeIsRevoked(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := doPiece(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

func TestNegativeParametersAreRefused(t *testing.T) {
	if (parameters{Pieces: -1}).check() == nil {
		t.Error("-1 pieces were accepted")
	}
	if err := (parameters{Pieces: 1}).check(); err != nil {
		t.Error(err)
	}
}
