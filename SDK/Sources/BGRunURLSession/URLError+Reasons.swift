// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking

// Properties of the error of a transfer, each read from `userInfo`.

extension URLError {
    /// The reason why the system cancelled a background transfer.
    public enum BackgroundTaskCancelledReason: Int, Sendable {
        case userForceQuitApplication, backgroundUpdatesDisabled, insufficientSystemResources
    }

    /// The reason why a task has no network.
    public enum NetworkUnavailableReason: Int, Sendable {
        case cellular, expensive, constrained
    }

    /// nil: the system has not cancelled the transfer. bgrun cancels none by itself.
    public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
        (userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int)
            .flatMap(BackgroundTaskCancelledReason.init)
    }

    /// nil: the network is not the cause, or the cause is unknown. bgrun's transfers wait for a
    /// network that they may use.
    public var networkUnavailableReason: NetworkUnavailableReason? {
        (userInfo["NSURLErrorNetworkUnavailableReasonKey"] as? Int)
            .flatMap(NetworkUnavailableReason.init)
    }

    /// The data with which the download can be resumed; nil if it cannot.
    public var downloadTaskResumeData: Data? {
        userInfo[NSURLSessionDownloadTaskResumeData] as? Data
    }
}

extension URLRequest {
    /// False: an unmetered network is required, as with `allowsCellularAccess`. bgrun does not
    /// distinguish the two: setting false changes both, and setting true has no effect.
    public var allowsExpensiveNetworkAccess: Bool {
        get { allowsCellularAccess }
        set { if !newValue { allowsCellularAccess = false } }
    }

    /// False: an unmetered network is required, as with `allowsExpensiveNetworkAccess`.
    public var allowsConstrainedNetworkAccess: Bool {
        get { allowsCellularAccess }
        set { if !newValue { allowsCellularAccess = false } }
    }
}

extension URLCache {
    /// A cache below the directory; without one, at the place that Foundation selects.
    public convenience init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
        self.init(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, diskPath: directory?.path)
    }
}
