// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One entry of `transfers:`: a download or upload by the transfer service. Also has the members of
/// its request.
@dynamicMemberLookup
package struct TransferDefinition: Equatable, Sendable {
    /// The request without the fields that its submission adds. Its session has the name of the
    /// entry.
    var template: TransferRequest
    /// The time from its end to its next submission; nil: only once.
    package var every: Interval?
    /// The minimum time from its submission to its start.
    package var earliest: Interval = .zero
    /// The place of its declaration in the manifest.
    package var mark: SourceMark

    package var name: String { template.session }
    /// Whether the server's certificate is not verified.
    package var isInsecure: Bool { !template.verifiesServer }

    package subscript<Value>(dynamicMember path: WritableKeyPath<TransferRequest, Value>) -> Value {
        get { template[keyPath: path] }
        set { template[keyPath: path] = newValue }
    }

    /// The request to the transfer service when it is submitted at `now`.
    package func request(at now: WallTime) -> TransferRequest {
        var request = template
        request.earliest = earliest > .zero ? now.advanced(by: earliest) : nil
        request.sendsLaunchEvents = request.then == nil
        return request
    }
}
