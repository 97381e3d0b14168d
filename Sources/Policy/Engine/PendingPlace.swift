// SPDX-License-Identifier: Apache-2.0

extension PendingRequests {
    /// Where a pending request is.
    struct Place: Sendable {
        /// The index of its declaration.
        var task: Int
        var requestClass: Int
        /// The request's.
        var id: Int64
        var earliest: WallTime?
        /// Not before this date, because of the predicted use of the app or the last launch of its task.
        var placed: WallTime?
        /// From when on it has waited, in milliseconds since 1970.
        var since: Int64
        var index = Index.free
        /// What it is ordered by: its date while it is delayed, since when it has waited afterwards.
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

    /// A request, the task it belongs to, and the class it waits in.
    struct Chosen {
        var request: TaskRequest
        var task: Int
        var requestClass: Int
    }
}
