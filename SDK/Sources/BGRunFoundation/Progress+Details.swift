// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Properties that are missing in Foundation on Linux. As on iOS, `userInfo` contains their values.

extension Progress {
    /// The kind of file operation, for a progress of kind `.file`.
    public var fileOperationKind: FileOperationKind? {
        get { userInfo[.fileOperationKindKey] as? FileOperationKind }
        set { setUserInfoObject(newValue, forKey: .fileOperationKindKey) }
    }

    /// The file that the work concerns.
    public var fileURL: URL? {
        get { userInfo[.fileURLKey] as? URL }
        set { setUserInfoObject(newValue, forKey: .fileURLKey) }
    }

    public var fileTotalCount: Int? {
        get { userInfo[.fileTotalCountKey] as? Int }
        set { setUserInfoObject(newValue, forKey: .fileTotalCountKey) }
    }

    public var fileCompletedCount: Int? {
        get { userInfo[.fileCompletedCountKey] as? Int }
        set { setUserInfoObject(newValue, forKey: .fileCompletedCountKey) }
    }

    /// Bytes per second.
    public var throughput: Int? {
        get { userInfo[.throughputKey] as? Int }
        set { setUserInfoObject(newValue, forKey: .throughputKey) }
    }

    /// In seconds.
    public var estimatedTimeRemaining: TimeInterval? {
        get { userInfo[.estimatedTimeRemainingKey] as? TimeInterval }
        set { setUserInfoObject(newValue, forKey: .estimatedTimeRemainingKey) }
    }

    // Foundation on Linux declares the next two without a setter, and they are empty. A read is
    // Foundation's, since these overloads are disfavored; only an assignment selects them.

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// Can be set; no text is shown.
    @_disfavoredOverload
    public var localizedDescription: String! {
        get { "" }
        set { _ = newValue }
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// Can be set; no text is shown.
    @_disfavoredOverload
    public var localizedAdditionalDescription: String! {
        get { "" }
        set { _ = newValue }
    }
}
