// SPDX-License-Identifier: Apache-2.0

public import Combine
public import Foundation
public import Observation

// Modifiers of scenes for windows and menus: return the scene unchanged.

extension Scene {
    public func environment<Value: AnyObject & Observable>(
        _ object: Value?
    ) -> some Scene { self }
    public func environment<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) -> some Scene { self }
    public func environmentObject<Value: ObservableObject>(_ object: Value) -> some Scene { self }
    public func commands(@CommandsBuilder content: () -> some Commands) -> some Scene { self }
    /// No effect: `@AppStorage` without a store uses the standard defaults.
    public func defaultAppStorage(_ store: UserDefaults) -> some Scene { self }
    public func handlesExternalEvents(matching conditions: Set<String>) -> some Scene { self }
    public func windowResizability(_ resizability: WindowResizability) -> some Scene { self }
    public func defaultSize(width: CGFloat, height: CGFloat) -> some Scene { self }
}

/// Whether a window can be resized.
public enum WindowResizability: Sendable {
    case automatic, contentSize, contentMinSize
}

/// Menus, which are never shown.
@MainActor @preconcurrency
public protocol Commands {}

/// Empty menus.
public struct EmptyCommands: Commands {
    public nonisolated init() {}
}

/// Items of a menu.
public struct CommandGroup: Commands {
    public init(replacing group: CommandGroupPlacement, @ViewBuilder addition: () -> some View) {}
    public init(after group: CommandGroupPlacement, @ViewBuilder addition: () -> some View) {}
    public init(before group: CommandGroupPlacement, @ViewBuilder addition: () -> some View) {}
}

/// A menu.
public struct CommandMenu: Commands {
    public init(_ name: LocalizedStringKey, @ViewBuilder content: () -> some View) {}
}

/// The place of items in the menus.
public enum CommandGroupPlacement: Sendable {
    case appInfo, appSettings, appTermination, appVisibility, help, importExport, newItem
    case pasteboard, printItem, saveItem, sidebar, systemServices, textEditing, textFormatting
    case toolbar, undoRedo, windowArrangement, windowList, windowSize
}

/// Builds the menus of an app.
@resultBuilder @MainActor @preconcurrency
public enum CommandsBuilder {
    public static func buildBlock<each Content: Commands>(
        _ content: repeat each Content
    ) -> EmptyCommands {
        EmptyCommands()
    }
}
