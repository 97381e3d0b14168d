// SPDX-License-Identifier: Apache-2.0

/// A preview. It is type-checked and expands to nothing.
@freestanding(declaration)
public macro Preview(
    _ name: String? = nil, traits: PreviewTrait...,
    @ViewBuilder body: @escaping @MainActor () -> any View
) = #externalMacro(module: "SwiftUIMacros", type: "Preview")

/// Marks a `@State` or another property declared in the body of a `#Preview`. It has no effect.
@attached(peer)
public macro Previewable() = #externalMacro(module: "SwiftUIMacros", type: "Previewable")

/// The display of a preview.
public enum PreviewTrait: Sendable {
    case defaultLayout, sizeThatFitsLayout, portrait, portraitUpsideDown, landscapeLeft
    case landscapeRight
    case fixedLayout(width: Double, height: Double)
}
