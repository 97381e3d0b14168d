// SPDX-License-Identifier: Apache-2.0

extension AsyncSequence where Element == UInt8 {
    /// Lines of UTF-8 without their line feeds; skips empty ones.
    public var lines: AsyncLineSequence<Self> { AsyncLineSequence(base: self) }
    /// The characters of UTF-8.
    public var characters: AsyncCharacterSequence<Self> { AsyncCharacterSequence(base: self) }
}

/// The lines of a sequence of bytes.
public struct AsyncLineSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    public typealias Element = String

    let base: Base

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator())
    }

    public struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator

        public mutating func next() async throws -> String? {
            var line: [UInt8] = []
            while let byte = try await base.next() {
                guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                    line.append(byte)
                    continue
                }
                if !line.isEmpty { break }
            }
            return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
        }
    }
}

extension AsyncLineSequence: Sendable where Base: Sendable {}

/// The characters of a sequence of bytes.
public struct AsyncCharacterSequence<Base: AsyncSequence>: AsyncSequence
where Base.Element == UInt8 {
    public typealias Element = Character

    let base: Base

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator())
    }

    public struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        /// The decoded text; its last character is complete once the next one begins.
        private var text = ""
        /// The bytes of the next scalar.
        private var bytes: [UInt8] = []

        init(base: Base.AsyncIterator) {
            self.base = base
        }

        public mutating func next() async throws -> Character? {
            while text.count < 2, let byte = try await base.next() {
                // A byte that does not continue a scalar begins the next one.
                if byte & 0xC0 != 0x80 { decode() }
                bytes.append(byte)
                if bytes.count == Self.length(of: bytes[0]) { decode() }
            }
            if text.count < 2 { decode() }
            return text.isEmpty ? nil : text.removeFirst()
        }

        private mutating func decode() {
            text += String(decoding: bytes, as: UTF8.self)
            bytes = []
        }

        private static func length(of first: UInt8) -> Int {
            switch first {
            case ..<0x80: 1
            case ..<0xE0: 2
            case ..<0xF0: 3
            default: 4
            }
        }
    }
}

extension AsyncCharacterSequence: Sendable where Base: Sendable {}
