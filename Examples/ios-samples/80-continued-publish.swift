//: task com.example.publisher.publish continued
//: submit com.example.publisher.publish {"bgrun.title": "Publishing", "bgrun.subtitle": "Photos"}
//: run
//: ends com.example.publisher.publish completed
//: says Uploaded 6 of 6
//: says Fraction 1.00

import BackgroundTasks
import SwiftUI

@Observable @MainActor
final class PublishModel {
    static let identifier = "com.example.publisher.publish"
    private(set) var completed = 0
    private(set) var isPublishing = false
    var errorMessage: String?
    let total = 6
    @ObservationIgnored private var wasExpired = false

    var fraction: Double { Double(completed) / Double(total) }

    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: .main) {
            task in
            guard let task = task as? BGContinuedProcessingTask else { return }
            MainActor.assumeIsolated { self.handle(task) }
        }
    }

    func start() {
        let request = BGContinuedProcessingTaskRequest(
            identifier: Self.identifier, title: "Publishing", subtitle: "\(total) photos")
        request.strategy = .queue
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch let error as BGTaskScheduler.Error {
            switch error.code {
            case .immediateRunIneligible: errorMessage = "Try again later."
            case .notPermitted: errorMessage = "The identifier is not in the Info.plist."
            case .tooManyPendingTaskRequests: errorMessage = "Too many requests."
            case .unavailable: errorMessage = "Background work is unavailable."
            @unknown default: errorMessage = error.localizedDescription
            }
        } catch {
            errorMessage = error.localizedDescription
        }
    }

    private func handle(_ task: BGContinuedProcessingTask) {
        isPublishing = true
        task.expirationHandler = {
            Task { @MainActor in self.wasExpired = true }
        }
        let progress = task.progress
        progress.totalUnitCount = Int64(total)
        Task {
            while completed < total, !wasExpired {
                try await Task.sleep(for: .milliseconds(2))
                completed += 1
                progress.completedUnitCount = Int64(completed)
                let formatted = progress.fractionCompleted.formatted(
                    .percent.precision(.fractionLength(0)))
                task.updateTitle(task.title, subtitle: "Completed \(formatted)")
            }
            print("Uploaded \(completed) of \(total)")
            print("Fraction \(String(format: "%.2f", progress.fractionCompleted))")
            task.setTaskCompleted(success: !wasExpired)
            isPublishing = false
        }
    }
}

struct PublishView: View {
    @Bindable var model: PublishModel
    @State private var caption = ""
    @FocusState private var captionIsFocused: Bool

    var body: some View {
        VStack(spacing: 20) {
            TextField("Caption", text: $caption, axis: .vertical)
                .textFieldStyle(.roundedBorder)
                .lineLimit(3...6)
                .focused($captionIsFocused)
                .submitLabel(.done)
                .onSubmit { captionIsFocused = false }
            if model.isPublishing {
                ProgressView(value: model.fraction) {
                    Text("Publishing…")
                } currentValueLabel: {
                    Text(model.fraction, format: .percent).monospacedDigit()
                }
                .progressViewStyle(.linear)
                .transition(.opacity.combined(with: .move(edge: .bottom)))
            }
            Button(action: model.start) {
                Label("Publish", systemImage: "paperplane.fill").frame(maxWidth: .infinity)
            }
            .buttonStyle(.borderedProminent)
            .controlSize(.large)
            .disabled(model.isPublishing || caption.isEmpty)
            .sensoryFeedback(.success, trigger: model.completed == model.total)
        }
        .padding()
        .animation(.snappy, value: model.isPublishing)
        .alert(
            "Publishing Failed",
            isPresented: Binding(
                get: { model.errorMessage != nil }, set: { if !$0 { model.errorMessage = nil } })
        ) {
            Button("OK", role: .cancel) {}
        } message: {
            Text(model.errorMessage ?? "")
        }
    }
}

@main
struct PublisherApp: App {
    @State private var model: PublishModel

    init() {
        let model = PublishModel()
        model.register()
        _model = State(initialValue: model)
    }

    var body: some Scene {
        WindowGroup { PublishView(model: model) }
    }
}
