// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc

extension FileHandle {
    /// The contents of a file, a pipe or a socket up to its end.
    public struct AsyncBytes: AsyncSequence, Sendable {
        public typealias Element = UInt8
        public typealias Failure = any Error

        let handle: FileHandle

        public func makeAsyncIterator() -> Iterator {
            Iterator(handle: handle)
        }

        public struct Iterator: AsyncIteratorProtocol {
            private static let most = 64 * 1024

            let handle: FileHandle
            private var bytes: Data = Data()

            init(handle: FileHandle) {
                self.handle = handle
            }

            public mutating func next() async throws -> UInt8? {
                try Task.checkCancellation()
                if bytes.isEmpty { bytes = try await read() }
                return bytes.popFirst()
            }

            /// Empty at the end. A pipe without content blocks a separate thread.
            private func read() async throws -> Data {
                let handle = handle
                return try await withCheckedThrowingContinuation { continuation in
                    Thread.detachNewThread {
                        continuation.resume(
                            with: Result { try handle.available(atMost: Self.most) })
                    }
                }
            }
        }
    }

    /// The bytes from the current position on.
    public var bytes: AsyncBytes { AsyncBytes(handle: self) }

    /// The available bytes, which may be fewer than `count`; empty at the end.
    private func available(atMost count: Int) throws -> Data {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let length = Glibc.read(fileDescriptor, &bytes, count)
            if length >= 0 { return Data(bytes.prefix(length)) }
            guard errno == EINTR else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
        }
    }
}
