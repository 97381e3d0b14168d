// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension FuzzTarget {
    /// The head of a web server's answer, line by line, and the rules that read it.
    static let transferHeaders = FuzzTarget("transfer-headers", longest: 2_048) { bytes in
        var reader = ResponseHeadReader()
        var head: ResponseHead?
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            head = line.withUnsafeBytes { reader.take($0) } ?? head
        }
        guard let head else { return }
        try hold(head.status >= 200, "status \(head.status)")
        try hold(head.fields.count <= ResponseHeadReader.mostFields, "\(head.fields.count) fields")
        try hold(head.fields.allSatisfy { $0.name == $0.name.lowercased() }, "a name in capitals")
        if let length = head.contentLength { try hold(length >= 0, "a length of \(length)") }
        if let part = head.contentRange?.part {
            try hold(part.lowerBound >= 0, "bytes from \(part.lowerBound)")
            try hold(
                part.upperBound < head.contentRange?.total ?? .max, "bytes to \(part.upperBound)")
        }
        try checkResuming(head)
        let now = WallTime(milliseconds: 1_770_000_000_000)
        let verdict = TransferRetryRule.verdict(
            on: .status, status: head.status, retryAfter: head["retry-after"], failures: 1,
            retry: TransferRequest.Retry(), network: .yes, at: now)
        if case .retry(let date) = verdict {
            try hold(date >= now, "a retry at \(date)")
            try hold(date <= now.advanced(by: .days(1)), "a retry at \(date)")
        }
        try checkRedirect(head)
    }

    private static func checkResuming(_ head: ResponseHead) throws {
        let validator = ResumeRule.validator(of: head)
        for question in [
            ResumeRule.Question.whole,
            ResumeRule.Question(offset: 100, validator: validator, total: 1_000),
            ResumeRule.Question(offset: .max, validator: "\"v\"", total: nil),
        ] {
            let take = ResumeRule.take(head, for: question, isConditional: true)
            switch take {
            case .append(let total):
                try hold(head.contentRange?.part?.lowerBound == question.offset, "\(take)")
                if let total { try hold(total > question.offset, "\(take)") }
            case .replace(let total): if let total { try hold(total >= 0, "\(take)") }
            default: break
            }
        }
    }

    private static func checkRedirect(_ head: ResponseHead) throws {
        guard let location = head["location"] else { return }
        let target = WebAddress.withoutUser(location)
        if let address = WebAddress(target) {
            try hold(!address.host.isEmpty, "\(target) has no host")
            try hold(address.port > 0, "\(target) has no port")
            let authority = target.drop { $0 != "/" }.dropFirst(2).prefix { !"/?#".contains($0) }
            try hold(!authority.contains("@"), "\(target) has a user")
        }
        let verdict = RedirectRule.verdict(
            to: target, visited: ["https://example.com/"], status: head.status, isUpload: false)
        if case .follow(_, let keepsSecrets) = verdict {
            let address = WebAddress(target)
            try hold(address?.isSecure == true, "from https to \(target)")
            if keepsSecrets { try hold(address?.host == "example.com", "secrets for \(target)") }
        }
    }
}
