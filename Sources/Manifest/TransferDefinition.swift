// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One entry of `transfers:`: a file that is fetched or sent by the transfer service. It has also the
/// members of its request.
@dynamicMemberLookup
package struct TransferDefinition: Hashable, Sendable {
    /// The request without what its submission adds. Its session has the name of the entry.
    var template: TransferRequest
    /// So long after it was finished it is done again; nil for once.
    package var every: Interval?
    /// So long after it was submitted it may begin.
    package var earliest: Interval = .zero
    /// Where the manifest declares it.
    package var mark: SourceMark

    package var name: String { template.session }
    /// Whether the server's certificate is not looked at.
    package var isInsecure: Bool { !template.verifiesServer }

    package subscript<Value>(dynamicMember path: WritableKeyPath<TransferRequest, Value>) -> Value {
        get { template[keyPath: path] }
        set { template[keyPath: path] = newValue }
    }

    /// What the transfer service is asked for when it is submitted at `now`.
    package func request(at now: WallTime) -> TransferRequest {
        var request = template
        request.earliest = earliest > .zero ? now.advanced(by: earliest) : nil
        request.sendsLaunchEvents = request.then == nil
        return request
    }
}
