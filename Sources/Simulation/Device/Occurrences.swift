// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Converts the times of a scenario into nanoseconds after its beginning.
struct Occurrences {
    let zone: ZoneRules
    /// Seconds since 1970 (UTC) at its beginning.
    let origin: Int64
    let duration: Int64
    private let jitter: Interval
    private let startDay: Int64

    init(_ scenario: Scenario) {
        zone = scenario.zone
        origin = scenario.zone.instant(of: scenario.start)
        duration = scenario.duration.nanoseconds
        jitter = scenario.jitter
        startDay = scenario.start.day
    }

    /// The instants of `recurrence` within the scenario, in the order of the unmoved times.
    func instants(
        of recurrence: Recurrence, jitter own: Interval?, using random: inout SeededGenerator
    ) -> [Int64] {
        begins(of: recurrence).map { $0.saturatingAdding(random.offset(upTo: own ?? jitter)) }
            .filter { (0..<duration).contains($0) }
    }

    /// The parts of the scenario that `window` covers, in the order of the unmoved times.
    func intervals(of window: Window, using random: inout SeededGenerator) -> [Range<Int64>] {
        guard let recurrence = window.begins else { return [0..<duration] }
        let limit = window.jitter ?? jitter
        return begins(of: recurrence).compactMap { begin in
            let end = end(of: window, from: begin)
            let moved = begin.saturatingAdding(random.offset(upTo: limit))
            let movedEnd =
                end == .max ? duration : end.saturatingAdding(random.offset(upTo: limit))
            let from = max(0, moved)
            let to = min(duration, movedEnd)
            return from < to ? from..<to : nil
        }
    }

    func instant(of moment: Moment) -> Int64 {
        switch moment {
        case .offset(let offset): offset.nanoseconds
        case .civil(let civil): nanoseconds(zone.instant(of: civil))
        }
    }

    /// Starts on the day before the scenario, to include a night that has begun.
    private func begins(of recurrence: Recurrence) -> [Int64] {
        switch recurrence {
        case .once(let moment):
            return [instant(of: moment)]
        case .every(let length, let from):
            return Array(
                stride(from: from.nanoseconds, to: duration, by: Int(max(1, length.nanoseconds))))
        case .daily(let weekdays, let second):
            let last = startDay + duration / 86_400_000_000_000 + 2
            return ((startDay - 1)...last).compactMap { day in
                let civil = CivilTime(seconds: day * 86_400 + second)
                return weekdays.contains(civil.weekday) ? nanoseconds(zone.instant(of: civil)) : nil
            }
        }
    }

    private func end(of window: Window, from begin: Int64) -> Int64 {
        switch window.end {
        case .lasting(let length): return begin.saturatingAdding(length.nanoseconds)
        case .moment(let moment): return instant(of: moment)
        case .never: return .max
        case .until(let second):
            let civil = zone.civil(at: origin + CivilTime.floorDivide(begin, 1_000_000_000))
            let day = civil.secondOfDay < second ? civil.day : civil.day + 1
            return nanoseconds(zone.instant(of: CivilTime(seconds: day * 86_400 + second)))
        }
    }

    /// At the limit for a date more than 292 years from the beginning.
    private func nanoseconds(_ time: Int64) -> Int64 {
        time.saturatingSubtracting(origin).saturatingMultiplied(by: 1_000_000_000)
    }
}

/// The values of a reading over time: `changes[0].at` is 0, times ascend, neighbours differ.
struct Timetable<Value: Equatable & Sendable>: Sendable {
    let changes: [(at: Int64, value: Value)]

    func value(at instant: Int64) -> Value {
        (changes.last { $0.at <= instant } ?? changes[0]).value
    }

    func nextChange(after instant: Int64) -> Int64? { changes.first { $0.at > instant }?.at }
}

extension Timetable {
    init(_ layers: Layers<Value>, _ occurrences: Occurrences, using random: inout SeededGenerator) {
        var edges: [(at: Int64, layer: Int, step: Int)] = []
        for (index, layer) in layers.layers.enumerated() {
            for interval in occurrences.intervals(of: layer.window, using: &random) {
                edges.append((interval.lowerBound, index, 1))
                edges.append((interval.upperBound, index, -1))
            }
        }
        edges.sort { ($0.at, $0.layer, $0.step) < ($1.at, $1.layer, $1.step) }
        var depth = [Int](repeating: 0, count: layers.layers.count)
        var changes: [(at: Int64, value: Value)] = [(0, layers.base)]
        for (position, edge) in edges.enumerated() {
            depth[edge.layer] += edge.step  // fits: intervals of one layer
            if position + 1 < edges.count, edges[position + 1].at == edge.at { continue }
            guard edge.at < occurrences.duration else { break }
            let value = depth.lastIndex { $0 > 0 }.map { layers.layers[$0].value } ?? layers.base
            if changes.last?.at == edge.at { changes.removeLast() }
            if changes.last?.value != value { changes.append((edge.at, value)) }
        }
        self.changes = changes
    }
}
