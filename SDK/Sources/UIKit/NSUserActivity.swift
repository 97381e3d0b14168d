// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An activity of the user in an app. It keeps its values, which no other device, search or launch
/// receives.
open class NSUserActivity: NSObject {
    public let activityType: String
    open var title: String?
    open var userInfo: [AnyHashable: Any]?
    open var requiredUserInfoKeys: Set<String>?
    open var webpageURL: URL?
    open var referrerURL: URL?
    open var expirationDate: Date?
    open var keywords: Set<String> = []
    open var targetContentIdentifier: String?
    open var persistentIdentifier: String?
    open var needsSave = false
    open var isEligibleForHandoff = true
    open var isEligibleForSearch = false
    open var isEligibleForPublicIndexing = false
    open var isEligibleForPrediction = false

    public init(activityType: String) {
        self.activityType = activityType
        super.init()
    }

    open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
        userInfo = (userInfo ?? [:]).merging(otherDictionary) { $1 }
    }

    /// Does nothing.
    open func becomeCurrent() {}
    /// Does nothing.
    open func resignCurrent() {}
    /// Does nothing.
    open func invalidate() {}
}
