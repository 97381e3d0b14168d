// SPDX-License-Identifier: Apache-2.0 OR 0BSD

// kit-name is a bgrun plugin in Go. count does its work in pieces, can stop after each piece, and
// continues at the next one.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/kit-name/bgrun"
)

func init() {
	bgrun.Register("kit-name", "0.1.0", map[string]bgrun.Handler{"count": count})
}

// A library needs a main function but never runs it.
func main() {}

type parameters struct {
	Pieces       int64
	Milliseconds int64
}

func (p parameters) check() error {
	if p.Pieces < 0 || p.Milliseconds < 0 {
		return errors.New("parameters: pieces and milliseconds are not negative")
	}
	return nil
}

// The content of a checkpoint. Raise the version with every change.
const positionVersion = 1

type position struct {
	Done int64 // pieces
}

// doPiece does one piece of the work; put yours here. It must be short, and harmless if repeated.
func doPiece(ctx context.Context, length time.Duration) error {
	select {
	case <-time.After(length):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func count(ctx context.Context, task *bgrun.Task) (string, error) {
	given := parameters{Pieces: 20, Milliseconds: 50}
	if err := task.Parameters(&given); err != nil {
		return "", err
	}
	if err := given.check(); err != nil {
		return "", err
	}
	var at position
	task.Title("Counting")
	if task.Checkpoint(positionVersion, &at) {
		task.Logf("continues after %d of %d pieces", at.Done, given.Pieces)
	}
	for at.Done < given.Pieces {
		err := doPiece(ctx, time.Duration(given.Milliseconds)*time.Millisecond)
		if ctx.Err() != nil || task.ShouldDefer() {
			return "", fmt.Errorf("stopped after %d of %d pieces", at.Done, given.Pieces)
		}
		if err != nil {
			return "", fmt.Errorf("piece %d: %w", at.Done+1, err)
		}
		at.Done++
		if err := task.Save(positionVersion, at); err != nil {
			return "", err
		}
		task.Progress(at.Done, given.Pieces)
	}
	return fmt.Sprintf("counted %d of %d pieces", at.Done, given.Pieces), nil
}
