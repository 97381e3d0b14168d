// SPDX-License-Identifier: Apache-2.0

/// Has no code. Its module depends on the installed programs, so `swift build --target Programs` builds
/// these and nothing else.
enum Programs {}
