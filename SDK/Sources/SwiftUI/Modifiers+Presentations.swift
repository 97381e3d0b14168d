// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Presentations above, beside or around a view. No content is evaluated and no action called.

extension View {
    public func navigationTitle(_ title: Text) -> some View { self }
    public func navigationTitle(_ title: Binding<String>) -> some View { self }
    public func navigationBarTitle(_ title: Text) -> some View { self }
    public func navigationBarTitle(
        _ title: Text, displayMode: NavigationBarTitleDisplayMode
    ) -> some View { self }
    @_disfavoredOverload
    public func navigationBarTitle(
        _ title: some StringProtocol, displayMode: NavigationBarTitleDisplayMode
    ) -> some View { self }
    @_disfavoredOverload
    public func navigationBarTitle(_ title: some StringProtocol) -> some View { self }
    public func navigationSplitViewStyle(
        _ style: some NavigationSplitViewStyle
    ) -> some View { self }
    public func navigationSplitViewColumnWidth(_ width: CGFloat) -> some View { self }
    public func navigationSplitViewColumnWidth(
        min: CGFloat? = nil, ideal: CGFloat, max: CGFloat? = nil
    ) -> some View { self }
    public func navigationDestination<Item: Hashable>(
        item: Binding<Item?>, @ViewBuilder destination: @escaping (Item) -> some View
    ) -> some View { self }

    public func alert(
        _ title: Text, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View
    ) -> some View { self }
    public func alert(
        _ title: Text, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View,
        @ViewBuilder message: () -> some View
    ) -> some View { self }
    public func alert<Failure: LocalizedError>(
        isPresented: Binding<Bool>, error: Failure?, @ViewBuilder actions: (Failure) -> some View,
        @ViewBuilder message: (Failure) -> some View
    ) -> some View { self }
    public func confirmationDialog(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> some View
    ) -> some View { self }
    public func confirmationDialog(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> some View, @ViewBuilder message: () -> some View
    ) -> some View { self }
    public func confirmationDialog<Item>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        titleVisibility: Visibility = .automatic, presenting data: Item?,
        @ViewBuilder actions: (Item) -> some View
    ) -> some View { self }
    public func confirmationDialog<Item>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        titleVisibility: Visibility = .automatic, presenting data: Item?,
        @ViewBuilder actions: (Item) -> some View, @ViewBuilder message: (Item) -> some View
    ) -> some View { self }
    public func actionSheet(
        isPresented: Binding<Bool>, content: () -> ActionSheet
    ) -> some View { self }
    public func actionSheet<Item: Identifiable>(
        item: Binding<Item?>, content: (Item) -> ActionSheet
    ) -> some View { self }

    public func popover(
        isPresented: Binding<Bool>, attachmentAnchor: PopoverAttachmentAnchor = .rect(.bounds),
        arrowEdge: Edge, @ViewBuilder content: @escaping () -> some View
    ) -> some View { self }
    public func popover<Item: Identifiable>(
        item: Binding<Item?>, attachmentAnchor: PopoverAttachmentAnchor = .rect(.bounds),
        arrowEdge: Edge? = nil, @ViewBuilder content: @escaping (Item) -> some View
    ) -> some View { self }
    public func inspector(
        isPresented: Binding<Bool>, @ViewBuilder content: () -> some View
    ) -> some View { self }
    public func inspectorColumnWidth(_ width: CGFloat) -> some View { self }
    public func inspectorColumnWidth(
        min: CGFloat? = nil, ideal: CGFloat, max: CGFloat? = nil
    ) -> some View { self }

    public func presentationDetents(
        _ detents: Set<PresentationDetent>, selection: Binding<PresentationDetent>
    ) -> some View { self }
    public func presentationBackground(_ style: some ShapeStyle) -> some View { self }
    public func presentationBackground(_ color: Color) -> some View { self }
    public func presentationBackground(
        alignment: Alignment = .center, @ViewBuilder content: () -> some View
    ) -> some View { self }
    public func presentationCornerRadius(_ cornerRadius: CGFloat?) -> some View { self }
    public func presentationBackgroundInteraction(
        _ interaction: PresentationBackgroundInteraction
    ) -> some View { self }
    public func presentationContentInteraction(
        _ behavior: PresentationContentInteraction
    ) -> some View { self }
    public func presentationCompactAdaptation(
        _ adaptation: PresentationAdaptation
    ) -> some View { self }

    public func searchable(
        text: Binding<String>, isPresented: Binding<Bool>,
        placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey? = nil
    ) -> some View { self }
    public func searchable(
        text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: Text
    ) -> some View { self }
    @_disfavoredOverload
    public func searchable(
        text: Binding<String>, placement: SearchFieldPlacement = .automatic,
        prompt: some StringProtocol
    ) -> some View { self }
    public func searchSuggestions(@ViewBuilder _ suggestions: () -> some View) -> some View { self }
    public func searchSuggestions(
        _ visibility: Visibility, for placements: SearchSuggestionsPlacement.Set
    ) -> some View { self }
    public func searchScopes<Scope: Hashable>(
        _ scope: Binding<Scope>, @ViewBuilder scopes: () -> some View
    ) -> some View { self }
    public func searchScopes<Scope: Hashable>(
        _ scope: Binding<Scope>, activation: SearchScopeActivation,
        @ViewBuilder _ scopes: () -> some View
    ) -> some View { self }
    public func searchCompletion(_ completion: String) -> some View { self }

    public func toolbarRole(_ role: ToolbarRole) -> some View { self }
    public func toolbarTitleDisplayMode(_ mode: ToolbarTitleDisplayMode) -> some View { self }
    public func toolbarTitleMenu(@ViewBuilder content: () -> some View) -> some View { self }
    public func toolbarVisibility(
        _ visibility: Visibility, for bars: ToolbarBar...
    ) -> some View { self }
    public func toolbarBackgroundVisibility(
        _ visibility: Visibility, for bars: ToolbarBar...
    ) -> some View { self }
    public func statusBar(hidden: Bool) -> some View { self }
    public func persistentSystemOverlays(_ visibility: Visibility) -> some View { self }
    public func defersSystemGestures(on edges: Edge.Set) -> some View { self }
    public func widgetURL(_ url: URL?) -> some View { self }
    public func help(_ text: LocalizedStringKey) -> some View { self }
    public func contextMenu(
        @ViewBuilder menuItems: () -> some View, @ViewBuilder preview: () -> some View
    ) -> some View { self }
}

/// An alert with several buttons.
public struct ActionSheet {
    public typealias Button = Alert.Button

    public init(title: Text, message: Text? = nil, buttons: [Button] = [.cancel()]) {}
}

/// The anchor of a popover.
public enum PopoverAttachmentAnchor: Sendable {
    /// A rectangle of a view.
    public enum Source: Sendable {
        case bounds
        case rect(CGRect)
    }

    case rect(Source)
    case point(UnitPoint)
}

/// Whether the view behind a sheet can be used.
public struct PresentationBackgroundInteraction: Sendable {
    public static let automatic = Self()
    public static let enabled = Self()
    public static let disabled = Self()
    public static func enabled(upThrough detent: PresentationDetent) -> Self { Self() }
}

public enum PresentationContentInteraction: Sendable {
    case automatic, resizes, scrolls
}

public enum PresentationAdaptation: Sendable {
    case automatic, none, popover, sheet, fullScreenCover
}

/// The place of search suggestions.
public enum SearchSuggestionsPlacement: Sendable {
    case automatic, menu, content

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        public static let menu = Self(rawValue: 1)
        public static let content = Self(rawValue: 2)
    }
}

public enum SearchScopeActivation: Sendable {
    case automatic, onTextEntry, onSearchPresentation
}

public enum ToolbarRole: Sendable {
    case automatic, browser, editor, navigationStack
}

public enum ToolbarTitleDisplayMode: Sendable {
    case automatic, large, inline, inlineLarge
}
