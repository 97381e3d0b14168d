// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension URL {
    /// The Documents directory of the user.
    public static var documentsDirectory: URL { place(.documentDirectory) }
    /// The directory for files that can be regenerated.
    public static var cachesDirectory: URL { place(.cachesDirectory) }
    /// The directory for the files of apps.
    public static var applicationSupportDirectory: URL { place(.applicationSupportDirectory) }

    /// `Library` in the home, which FileManager does not know on Linux.
    public static var libraryDirectory: URL {
        FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(
            "Library", isDirectory: true)
    }

    private static func place(_ directory: FileManager.SearchPathDirectory) -> URL {
        FileManager.default.urls(for: directory, in: .userDomainMask).first
            ?? FileManager.default.homeDirectoryForCurrentUser
    }
}

extension String {
    /// The text of a key in the app's tables; the key itself without one.
    public init(
        localized key: String, table: String? = nil, bundle: Bundle? = nil,
        comment: StaticString? = nil
    ) {
        self = (bundle ?? .main).localizedString(forKey: key, value: nil, table: table)
    }

    /// The text of a key in the app's tables; `defaultValue` without one.
    public init(
        localized key: String, defaultValue: String, table: String? = nil,
        bundle: Bundle? = nil, comment: StaticString? = nil
    ) {
        self = (bundle ?? .main).localizedString(forKey: key, value: defaultValue, table: table)
    }
}
