// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation
import FoundationNetworking

// Less common tasks, not for background sessions.
extension URLSession {
    /// An upload of `httpBodyStream` of the request; `needNewBodyStream` is not called.
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        var request = request
        if request.httpMethod == "GET" { request.httpMethod = "POST" }
        if request.httpBodyStream == nil {
            PluginRuntime.current.log(
                .warning,
                "a streamed upload without httpBodyStream sends nothing: needNewBodyStream is not "
                    + "called")
        }
        switch backing {
        case .background(let session):
            session.runtime.report(
                misuse: "Upload tasks from streams are not supported in background sessions.")
            return URLSessionUploadTask(.background(session), request)
        case .plain(let session):
            return session.watch(
                URLSessionUploadTask(
                    .plain(session.foundation.dataTask(with: request)), request))
        }
    }

    /// Ends with `URLError.unsupportedURL`: uploads cannot be resumed here. Send the file again.
    public func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        let nowhere = URLRequest(url: URL(fileURLWithPath: "/dev/null/resumed-upload"))
        switch backing {
        case .plain: return uploadTask(with: nowhere, from: Data())
        case .background(let session):
            session.runtime.report(misuse: "Upload tasks cannot be resumed here.")
            return URLSessionUploadTask(.background(session), nowhere)
        }
    }

    /// Continues a cancelled download.
    ///
    /// - Throws: `URLError.cannotOpenFile`: sessions other than background ones produce no data for
    ///   that here.
    public func download(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        throw URLError(.cannotOpenFile)
    }
}

extension URLSessionUploadTask {
    /// Ends it; the data is nil, because uploads cannot be resumed here.
    public func cancel(
        byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void
    ) {
        cancel()
        completionHandler(nil)
    }

    /// The same in its async form.
    public func cancelByProducingResumeData() async -> Data? {
        cancel()
        return nil
    }
}
