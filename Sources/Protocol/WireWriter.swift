// SPDX-License-Identifier: Apache-2.0

/// Builds the payload of one frame: little-endian integers, length-prefixed bytes.
@usableFromInline
package struct WireWriter: Sendable {
    @usableFromInline var buffer: [UInt8] = []

    package var bytes: [UInt8] { buffer }

    package init() {}

    /// Starts over with the same memory.
    package mutating func removeAll() { buffer.removeAll(keepingCapacity: true) }

    /// Removes the data after the first `count` bytes.
    package mutating func removeAll(after count: Int) {
        buffer.removeLast(max(0, buffer.count - count))
    }

    /// Reserves space for this many more bytes.
    package mutating func reserve(_ count: Int) { buffer.reserveCapacity(buffer.count + count) }

    /// Appends bytes without a length prefix.
    @inlinable
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        buffer.append(contentsOf: bytes)
    }
}

/// One `put` for each number of values: a parameter pack takes twice the time.
extension WireWriter {
    @inlinable
    package mutating func put(_ value: some WireWritable) { value.write(to: &self) }

    @inlinable
    package mutating func put(_ first: some WireWritable, _ second: some WireWritable) {
        put(first)
        put(second)
    }

    @inlinable
    package mutating func put(
        _ first: some WireWritable, _ second: some WireWritable, _ third: some WireWritable
    ) {
        put(first, second)
        put(third)
    }

    @inlinable
    package mutating func put(
        _ first: some WireWritable, _ second: some WireWritable, _ third: some WireWritable,
        _ fourth: some WireWritable
    ) {
        put(first, second)
        put(third, fourth)
    }

    @inlinable
    package mutating func put(
        _ first: some WireWritable, _ second: some WireWritable, _ third: some WireWritable,
        _ fourth: some WireWritable, _ fifth: some WireWritable
    ) {
        put(first, second, third)
        put(fourth, fifth)
    }
}
