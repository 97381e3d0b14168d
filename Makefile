# SPDX-License-Identifier: Apache-2.0
.PHONY: test deps check-schema
test: check-schema
	swift test

# Needs python3-jsonschema and python3-yaml, those of Debian.
check-schema:
	/usr/bin/python3 Tests/Schema/check_schema.py
