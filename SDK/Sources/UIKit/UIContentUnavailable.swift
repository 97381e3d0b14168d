// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The texts and buttons of a screen without content. Nothing is shown.
@preconcurrency @MainActor
public struct UIContentUnavailableConfiguration: UIContentConfiguration {
    public var text: String?
    public var attributedText: NSAttributedString?
    public var secondaryText: String?
    public var secondaryAttributedText: NSAttributedString?
    public var image: UIImage?
    public var textProperties = UIListContentConfiguration.TextProperties()
    public var secondaryTextProperties = UIListContentConfiguration.TextProperties()
    public var imageProperties = UIListContentConfiguration.ImageProperties()
    public var button = UIButton.Configuration.plain()
    public var buttonProperties = ButtonProperties()
    public var secondaryButton = UIButton.Configuration.plain()
    public var secondaryButtonProperties = ButtonProperties()

    /// The action of a button. It is never called.
    @preconcurrency @MainActor
    public struct ButtonProperties {
        public var primaryAction: UIAction?
        public var menu: UIMenu?
        public var isEnabled = true
    }

    public static func empty() -> Self { Self() }
    public static func loading() -> Self { Self() }
    public static func search() -> Self { Self() }
}

/// The state of a screen without content.
@preconcurrency @MainActor
public struct UIContentUnavailableConfigurationState {
    public var searchText: String?
}
