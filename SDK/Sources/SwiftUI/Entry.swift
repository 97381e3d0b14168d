// SPDX-License-Identifier: Apache-2.0

/// Makes a variable in an extension of `EnvironmentValues` a value of the environment. Its initial
/// value is the default.
@attached(accessor) @attached(peer, names: prefixed(__Key_))
public macro Entry() = #externalMacro(module: "SwiftUIMacros", type: "Entry")
