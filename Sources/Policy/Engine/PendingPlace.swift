// SPDX-License-Identifier: Apache-2.0

extension PendingRequests {
    /// Where a pending request is.
    struct Place: Sendable {
        /// The index of its declaration.
        var task: Int
        var requestClass: Int
        /// The id of the request.
        var id: Int64
        var earliest: WallTime?
        /// The earliest date because of the predicted use of the app or the last launch of its task.
        var placed: WallTime?
        /// The start of its waiting time, in milliseconds since 1970.
        var since: Int64
        var index = Index.free
        /// The sort key: its date while it is delayed, then the start of its waiting time.
        var key = Int64.min
        var stamp: UInt64 = 0

        static let free = Place(task: 0, requestClass: 0, id: 0, since: 0)
    }

    enum Index: Sendable {
        case free, delayed, ready, parked
    }

    /// Launch order: the date first, then the order of submission.
    struct Entry: Comparable, Sendable {
        var key: Int64
        var id: Int64
        var slot: Int
        var stamp: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            left.key != right.key ? left.key < right.key : left.id < right.id
        }
    }

    /// A request, its task, and the class in which it waits.
    struct Chosen {
        var request: TaskRequest
        var task: Int
        var requestClass: Int
    }
}
