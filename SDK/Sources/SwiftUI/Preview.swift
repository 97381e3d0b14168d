// SPDX-License-Identifier: Apache-2.0

/// A preview. It is type-checked and expands to nothing.
@freestanding(declaration)
public macro Preview(
    _ name: String? = nil, @ViewBuilder body: @escaping @MainActor () -> any View
) = #externalMacro(module: "SwiftUIMacros", type: "Preview")
