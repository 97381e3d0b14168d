// SPDX-License-Identifier: Apache-2.0

@_exported import Foundation

/// Does nothing: there are no widgets.
public final class WidgetCenter: Sendable {
    public static let shared = WidgetCenter()

    private init() {}

    public func reloadAllTimelines() {}
    public func reloadTimelines(ofKind kind: String) {}
    public func invalidateConfigurationRecommendations() {}

    /// Calls the handler with no widgets.
    public func getCurrentConfigurations(
        _ completion: @escaping @Sendable (Result<[WidgetInfo], any Error>) -> Void
    ) {
        completion(.success([]))
    }

    /// No widgets.
    public func currentConfigurations() async throws -> [WidgetInfo] { [] }
}

/// A widget on a screen. Never created.
public struct WidgetInfo: Hashable, Sendable {
    public let kind: String
    public let family: WidgetFamily
}

/// The size of a widget.
public enum WidgetFamily: Hashable, Sendable {
    case systemSmall, systemMedium, systemLarge, systemExtraLarge
    case accessoryCircular, accessoryRectangular, accessoryInline
}
