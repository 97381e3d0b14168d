// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// Answers one call of a handler, at once or in parts.
package struct CallAnswer {
    /// Sends the whole answer, at any later time.
    package let whole: (HostMessage.Answer) -> Void
    private let parts: (@escaping () -> HostMessage.Answer) -> Void
    /// What the calling process may do, which a reload of the manifest does not change; nil: all that its user may.
    package let confinement: Confinement?

    package init(
        confinement: Confinement? = nil,
        whole: @escaping (HostMessage.Answer) -> Void,
        parts: @escaping (@escaping () -> HostMessage.Answer) -> Void
    ) {
        self.confinement = confinement
        self.whole = whole
        self.parts = parts
    }

    package func callAsFunction(_ answer: HostMessage.Answer) { whole(answer) }

    /// Sends a list of any length. `next` makes one part, of at most one frame; a part without `hasMore` is the last
    /// one. It is called in a later round of the loop, when the worker has received the previous data, and no more
    /// after the end of the attempt.
    package func inParts(_ next: @escaping () -> HostMessage.Answer) { parts(next) }

    /// Sends the items that `list` returns when the first part is made, at most `count` in a part, and fewer if these do
    /// not fit in a frame.
    package func inParts<Item>(
        of count: Int, _ list: @escaping () -> [Item],
        _ part: @escaping (ArraySlice<Item>) -> HostMessage.Answer
    ) {
        var rest: ArraySlice<Item>?
        inParts {
            let items = rest ?? list()[...]
            var count = count
            var answer = part(items.prefix(count))
            while count > 1, HostMessage.answer(call: 0, answer).boundedFrame == nil {
                count /= 2
                answer = part(items.prefix(count))
            }
            rest = items.dropFirst(count)
            answer.hasMore = items.count > count
            return answer
        }
    }
}

/// Answers that are sent to a worker in parts, one after the other. A waiting one takes no memory except its source.
struct PartedAnswers {
    /// Makes the next part; called no more after one without `hasMore`.
    typealias Source = () -> HostMessage.Answer

    /// The maximum number of waiting answers of one worker: each of its calling threads waits for one.
    static let most = 64

    private var waiting: [(call: UInt32, attempt: Int64, next: Source)] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// False if too many wait.
    /// - Parameter attempt: The attempt of the call; 0: the process.
    mutating func add(_ call: UInt32, of attempt: Int64, _ next: @escaping Source) -> Bool {
        guard waiting.count < Self.most else { return false }
        waiting.append((call, attempt, next))
        return true
    }

    /// The next part of the first answer; nil if none waits.
    mutating func next() -> (call: UInt32, part: HostMessage.Answer)? {
        guard let first = waiting.first else { return nil }
        let part = first.next()
        if !part.hasMore { waiting.removeFirst() }
        return (first.call, part)
    }

    /// The call was refused.
    mutating func drop(_ call: UInt32) { waiting.removeAll { $0.call == call } }

    /// The worker has ended.
    mutating func dropAll() { waiting = [] }

    /// Drops the remaining answers to attempts, and returns the calls without a complete answer. Those to the process
    /// continue.
    mutating func dropOfAttempts() -> [UInt32] {
        defer { waiting.removeAll { $0.attempt != 0 } }
        return waiting.filter { $0.attempt != 0 }.map(\.call)
    }
}
