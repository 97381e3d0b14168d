// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension TransferDefinition {
    /// What the transfer service is asked for when it is submitted at `now`.
    package func request(at now: WallTime) -> TransferRequest {
        var request = TransferRequest(
            session: name, direction: direction == .upload ? .upload : .download, url: url,
            file: file)
        request.method = direction == .upload ? method : nil
        request.headers = headers.map { TransferRequest.Header($0.name, $0.value) }
        request.sha256 = sha256
        request.earliest = earliest > .zero ? now.advanced(by: earliest) : nil
        request.isDiscretionary = isDiscretionary
        request.allowsMetered = allowsMetered
        request.sendsLaunchEvents = then == nil
        request.requestTimeout = requestTimeout ?? request.requestTimeout
        request.resourceTimeout = resourceTimeout ?? request.resourceTimeout
        request.rate = rate
        request.maxSize = maxSize
        request.connections = connections
        if let retry {
            let from = retry.from ?? request.retry.from
            request.retry = TransferRequest.Retry(
                from: from, to: retry.to ?? max(request.retry.to, from), attempts: retry.attempts)
        }
        request.credentials = credentialsFile
        request.certificate = certificate?.file
        request.key = certificate?.key
        request.authorities = authoritiesFile
        request.verifiesServer = !isInsecure
        request.proxy = proxy
        request.then = then
        request.onFailure = onFailure
        return request
    }
}
