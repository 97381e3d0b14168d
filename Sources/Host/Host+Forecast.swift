// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy

/// The forecasts for which clients wait. One is computed at a time, in parts: each has its own engine and up to 100,000
/// launches.
struct Forecasts {
    struct Wanted {
        let date: WallTime
        let isHeard: () -> Bool
        let answer: (Forecast?) -> Void
    }

    /// In the order of the requests.
    var wanted: [Wanted] = []
    /// The first of them, as far as it is computed.
    var current: Forecast?
    var isPlanned = false

    /// The maximum number of waiting forecasts.
    static let limit = 16
    /// The number of events after which the loop serves other work.
    static let part = 32
}

extension Host {
    private var forecasts: Forecasts {
        get { tickets.forecasts }
        set { tickets.forecasts = newValue }
    }

    /// Calls `answer` with the state at `date` if only time passes until then: at once if little is due before, else
    /// some rounds of the loop later. Nil: too many wait, or `isHeard` has become false.
    func forecast(
        to date: WallTime, isHeard: @escaping () -> Bool, _ answer: @escaping (Forecast?) -> Void
    ) {
        if forecasts.wanted.count >= Forecasts.limit { dropForecasts() }
        guard forecasts.wanted.count < Forecasts.limit else { return answer(nil) }
        forecasts.wanted.append(Forecasts.Wanted(date: date, isHeard: isHeard, answer: answer))
        if !forecasts.isPlanned { continueForecasts() }
    }

    /// Drops waiting forecasts whose client is gone.
    private func dropForecasts() {
        let waiting = forecasts.wanted.dropFirst().map { ($0, isHeard: $0.isHeard()) }
        forecasts.wanted = forecasts.wanted.prefix(1) + waiting.filter(\.isHeard).map(\.0)
        for (wanted, isHeard) in waiting where !isHeard { wanted.answer(nil) }
    }

    private func continueForecasts() {
        guard let wanted = forecasts.wanted.first else { return }
        // Moved, so that its engine is not copied again.
        var forecast = forecasts.current ?? Forecast(of: engine, to: wanted.date, from: instant)
        forecasts.current = nil
        let isHeard = wanted.isHeard()
        if isHeard { forecast.advance(by: Forecasts.part) }
        let isDone = forecast.isComplete || !isHeard
        if isDone { forecasts.wanted.removeFirst() } else { forecasts.current = forecast }
        if !forecasts.wanted.isEmpty {
            forecasts.isPlanned = true
            loop.inNextRound { [weak self] in
                self?.forecasts.isPlanned = false
                self?.continueForecasts()
            }
        }
        if isDone { wanted.answer(isHeard ? forecast : nil) }
    }
}
