// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunPolicy

@Suite("Heap", .timeLimit(.minutes(5)))
struct HeapTests {
    @Test("gives the same as a sorted array after any operations", arguments: UInt64(1)...20)
    func model(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let initial = (0..<Int.random(in: 0...20, using: &random)).map { _ in
            Int.random(in: 0...30, using: &random)
        }
        var heap = Heap(initial)
        var model = initial.sorted()
        for step in 0..<500 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let value = Int.random(in: 0...30, using: &random)
                heap.insert(value)
                model.append(value)
                model.sort()
            case 5..<9:
                let expected = model.isEmpty ? nil : model.removeFirst()
                #expect(heap.removeSmallest() == expected, "seed \(seed), step \(step)")
            default:
                let divisor = Int.random(in: 2...5, using: &random)
                heap.keep { $0 % divisor != 0 }
                model.removeAll { $0 % divisor == 0 }
            }
            #expect(heap.smallest == model.first, "seed \(seed), step \(step)")
            #expect(heap.count == model.count, "seed \(seed), step \(step)")
        }
    }
}
