// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
public import BGRunTransfer

extension TransferDefinition {
    /// What the transfer service is asked for when it is submitted at `now`.
    ///
    /// - Parameter earliest: Not before this date, whatever the manifest says of it.
    public func request(at now: WallTime, earliest: WallTime? = nil) -> TransferRequest {
        var request = TransferRequest(
            session: name, direction: direction == .download ? .download : .upload, url: url,
            file: file)
        request.method = direction == .upload ? method : nil
        request.headers = headers.map { TransferRequest.Header($0.name, $0.value) }
        request.sha256 = sha256
        let own = self.earliest > .zero ? now.advanced(by: self.earliest) : nil
        request.earliest = earliest ?? own
        request.isDiscretionary = isDiscretionary
        request.allowsMetered = allowsMetered
        request.requestTimeout = requestTimeout ?? request.requestTimeout
        request.resourceTimeout = resourceTimeout ?? request.resourceTimeout
        request.rate = rate
        request.connections = connections
        request.retry = TransferRequest.Retry(
            from: retry?.from ?? request.retry.from, to: retry?.to ?? request.retry.to,
            attempts: retry?.attempts)
        request.credentials = credentialsFile
        request.certificate = certificate?.file
        request.key = certificate?.key
        request.authorities = authoritiesFile
        request.verifiesServer = !isInsecure
        request.proxy = proxy
        request.then = then
        return request
    }
}
