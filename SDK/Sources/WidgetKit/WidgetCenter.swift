// SPDX-License-Identifier: Apache-2.0

@_exported import Foundation

/// Does nothing: there are no widgets.
public final class WidgetCenter: Sendable {
    public static let shared = WidgetCenter()

    private init() {}

    public func reloadAllTimelines() {}
    public func reloadTimelines(ofKind kind: String) {}
    public func invalidateConfigurationRecommendations() {}
}
