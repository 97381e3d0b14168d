// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A pointer for the error of a method.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Receives no notifications.
public protocol NSFilePresenter: NSObjectProtocol {
    var presentedItemURL: URL? { get }
    var presentedItemOperationQueue: OperationQueue { get }
}

/// Calls its accessors at once, with the given URLs: does not wait for other processes.
open class NSFileCoordinator: NSObject {
    /// Without effect.
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let withoutChanges = Self(rawValue: 1 << 0)
        public static let resolvesSymbolicLink = Self(rawValue: 1 << 1)
        public static let immediatelyAvailableMetadataOnly = Self(rawValue: 1 << 2)
        public static let forUploading = Self(rawValue: 1 << 3)
    }

    /// Without effect.
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let forDeleting = Self(rawValue: 1 << 0)
        public static let forMoving = Self(rawValue: 1 << 1)
        public static let forMerging = Self(rawValue: 1 << 2)
        public static let forReplacing = Self(rawValue: 1 << 3)
        public static let contentIndependentMetadataOnly = Self(rawValue: 1 << 4)
    }

    /// For the app's use.
    open var purposeIdentifier = UUID().uuidString

    public override convenience init() {
        self.init(filePresenter: nil)
    }

    public init(filePresenter: (any NSFilePresenter)?) {
        super.init()
    }

    open func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        reader(url)
    }

    open func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor writer: (URL) -> Void
    ) {
        writer(url)
    }

    open func coordinate(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
        writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer, byAccessor readerWriter: (URL, URL) -> Void
    ) {
        readerWriter(readingURL, writingURL)
    }

    open func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [], writingItemAt url2: URL,
        options options2: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor writer: (URL, URL) -> Void
    ) {
        writer(url1, url2)
    }

    /// Does nothing: there are no presenters to notify.
    open func item(at oldURL: URL, didMoveTo newURL: URL) {}

    /// Does nothing: no call waits.
    open func cancel() {}

    open class func addFilePresenter(_ filePresenter: any NSFilePresenter) {}
    open class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {}
}
