# SPDX-License-Identifier: Apache-2.0
.PHONY: test deps
test:
	swift test
