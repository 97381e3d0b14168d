import BackgroundTasks
import Foundation

/// Ways to lose a task, one per function; each is registered elsewhere.
final class Handlers {
    var current: BGTask?
    let api = API()

    func neverCompletes(task: BGProcessingTask) {  // expect: completion-on-every-path
        let work = Task { await api.rebuildIndex() }
        task.expirationHandler = { work.cancel() }
    }

    func onlyExpirationCompletes(task: BGProcessingTask) {  // expect: completion-on-every-path
        let work = Task { await api.rebuildIndex() }
        task.expirationHandler = {
            work.cancel()
            task.setTaskCompleted(success: false)
        }
    }

    func throwsOutOfTheTask(task: BGProcessingTask) {
        let work = Task {
            try await api.sync()  // expect: completion-on-every-path
            task.setTaskCompleted(success: true)
        }
        task.expirationHandler = { work.cancel() }
    }

    func forgetsOneCase(task: BGProcessingTask) {
        task.expirationHandler = { [api] in api.cancel() }
        api.load { result in
            switch result {
            case .success(let items) where items.isEmpty:  // expect: completion-on-every-path
                break
            case .success:
                task.setTaskCompleted(success: true)
            case .failure:
                task.setTaskCompleted(success: false)
            }
        }
    }

    func weakSelf(task: BGProcessingTask) {
        task.expirationHandler = { [api] in api.cancel() }
        api.load { [weak self] result in
            guard let self else { return }  // expect: completion-on-every-path
            self.api.store(result)
            task.setTaskCompleted(success: true)
        }
    }

    func callbackThatIsNotCalled(task: BGProcessingTask) {
        task.expirationHandler = { [api] in api.cancel() }
        download(from: nil) { success in
            task.setTaskCompleted(success: success)
        }
    }

    private func download(from url: URL?, completion: @escaping (Bool) -> Void) {
        guard let url else {
            return  // expect: completion-on-every-path
        }
        URLSession.shared.dataTask(with: url) { data, _, _ in
            completion(data != nil)
        }.resume()
    }

    func cancelledWithoutCompletion(task: BGProcessingTask) async {
        let work = Task {
            for item in await api.items() {
                guard !Task.isCancelled else { return }  // expect: completion-on-every-path
                await api.process(item)
            }
            task.setTaskCompleted(success: true)
        }
        task.expirationHandler = { work.cancel() }
    }

    func emptyOnCancel(task: BGProcessingTask) {
        let work = Task {
            try await withTaskCancellationHandler {
                try await api.sync()  // expect: completion-on-every-path
                task.setTaskCompleted(success: true)
            } onCancel: {
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func loopThatBreaks(task: BGProcessingTask) {
        var cancelled = false
        task.expirationHandler = { cancelled = true }
        for item in api.cached {
            if cancelled { return }  // expect: completion-on-every-path
            api.index(item)
        }
        task.setTaskCompleted(success: true)
    }
}
