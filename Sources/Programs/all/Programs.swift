// SPDX-License-Identifier: Apache-2.0

/// Has no code. Its module depends on the programs that are installed, so `swift build --target Programs`
/// builds these and nothing else.
enum Programs {}
