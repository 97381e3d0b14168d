//: task com.example.countdown.sync app-refresh
//: run
//: ends com.example.countdown.sync completed
//: says Countdown finished after 3 ticks

import BackgroundTasks
import Combine
import SwiftUI

final class Countdown: ObservableObject {
    @Published private(set) var remaining = 3

    let timer: Publishers.Autoconnect<Timer.TimerPublisher> =
        Timer.publish(every: 0.05, tolerance: 0.01, on: .main, in: .common).autoconnect()
    private var cancellables: Set<AnyCancellable> = []

    func start(completion: @escaping () -> Void) {
        var ticks = 0
        timer
            .sink { [weak self] _ in
                guard let self else { return }
                ticks += 1
                self.remaining -= 1
                if self.remaining == 0 {
                    self.timer.upstream.connect().cancel()
                    print("Countdown finished after \(ticks) ticks")
                    self.cancellables.removeAll()
                    completion()
                }
            }
            .store(in: &cancellables)
    }
}

struct CountdownView: View {
    @State private var timeRemaining = 100
    @Environment(\.scenePhase) private var scenePhase
    @State private var isActive = true
    let timer = Timer.publish(every: 1, on: .main, in: .common).autoconnect()

    var body: some View {
        Text("Time: \(timeRemaining)")
            .font(.largeTitle)
            .foregroundStyle(.white)
            .padding(.horizontal, 20)
            .padding(.vertical, 5)
            .background(.black.opacity(0.75))
            .clipShape(.capsule)
            .onReceive(timer) { time in
                guard isActive else { return }
                if timeRemaining > 0 {
                    timeRemaining -= 1
                } else {
                    timer.upstream.connect().cancel()
                }
            }
            .onChange(of: scenePhase) {
                isActive = scenePhase == .active
            }
    }
}

@main
struct CountdownApp: App {
    @StateObject private var countdown = Countdown()

    init() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.countdown.sync", using: .main
        ) { task in
            let countdown = Countdown()
            countdown.start {
                task.setTaskCompleted(success: true)
                withExtendedLifetime(countdown) {}
            }
        }
    }

    var body: some Scene {
        WindowGroup {
            CountdownView()
                .environmentObject(countdown)
        }
    }
}
