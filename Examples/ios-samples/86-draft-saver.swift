//: swift 5
//: task com.example.drafts.save app-refresh
//: run
//: ends com.example.drafts.save completed
//: says saved 12 characters
//: says background task ended
//: says timer fired 3 times

import BackgroundTasks
import UIKit

final class BackgroundTaskGuard {
    private var identifier: UIBackgroundTaskIdentifier = .invalid
    private let name: String

    init(name: String) {
        self.name = name
    }

    func begin(onExpiration: @escaping () -> Void = {}) {
        identifier = UIApplication.shared.beginBackgroundTask(withName: name) { [weak self] in
            onExpiration()
            self?.end()
        }
        assert(identifier != .invalid)
        if UIApplication.shared.backgroundTimeRemaining == .greatestFiniteMagnitude {
            print("in the foreground")
        }
    }

    func end() {
        guard identifier != .invalid else { return }
        UIApplication.shared.endBackgroundTask(identifier)
        identifier = .invalid
        print("background task ended")
    }
}

class DraftViewController: UIViewController, UITextViewDelegate {
    let textView = UITextView()
    private var observers: [NSObjectProtocol] = []
    private var autosaveTimer: Timer?

    override func viewDidLoad() {
        super.viewDidLoad()
        view.backgroundColor = .systemBackground
        edgesForExtendedLayout = []
        automaticallyAdjustsScrollViewInsets = false
        textView.translatesAutoresizingMaskIntoConstraints = false
        textView.font = UIFont.preferredFont(forTextStyle: .body)
        textView.adjustsFontForContentSizeCategory = true
        textView.keyboardDismissMode = .interactive
        textView.textContainerInset = UIEdgeInsets(top: 8, left: 16, bottom: 8, right: 16)
        textView.delegate = self
        view.addSubview(textView)
        let bottom = view.safeAreaLayoutGuide.bottomAnchor.constraint(
            equalTo: textView.bottomAnchor)
        bottom.priority = .defaultHigh
        NSLayoutConstraint.activate([
            textView.topAnchor.constraint(equalTo: view.safeAreaLayoutGuide.topAnchor),
            textView.leadingAnchor.constraint(equalTo: view.leadingAnchor),
            textView.trailingAnchor.constraint(equalTo: view.trailingAnchor),
            bottom,
        ])
        let center = NotificationCenter.default
        observers.append(
            center.addObserver(
                forName: UIApplication.willResignActiveNotification, object: nil, queue: nil
            ) { [weak self] _ in
                self?.save()
            })
        navigationItem.rightBarButtonItem = UIBarButtonItem(
            systemItem: .done, primaryAction: UIAction { [unowned self] _ in self.save() })
    }

    deinit {
        observers.forEach(NotificationCenter.default.removeObserver)
        autosaveTimer?.invalidate()
    }

    func textViewDidChange(_ textView: UITextView) {
        autosaveTimer?.invalidate()
        autosaveTimer = Timer.scheduledTimer(withTimeInterval: 2, repeats: false) { [weak self] _ in
            self?.save()
        }
        autosaveTimer?.tolerance = 0.5
    }

    private func save() {
        DraftStore.shared.save(textView.text) { _ in }
    }
}

class DraftStore {
    static let shared = DraftStore()
    static let didSaveNotification = Notification.Name("DraftStoreDidSave")
    private let queue = DispatchQueue(label: "com.example.drafts.store", qos: .utility)

    func save(_ text: String, completion: @escaping (Result<Int, Error>) -> Void) {
        let backgroundTask = BackgroundTaskGuard(name: "Save draft")
        backgroundTask.begin()
        queue.async {
            let result = Result { () throws -> Int in
                let url = FileManager.default.urls(
                    for: .applicationSupportDirectory, in: .userDomainMask
                )[0]
                try FileManager.default.createDirectory(
                    at: url, withIntermediateDirectories: true, attributes: nil)
                try text.write(
                    to: url.appendingPathComponent("draft.txt"), atomically: true, encoding: .utf8)
                return text.count
            }
            DispatchQueue.main.async {
                NotificationCenter.default.post(
                    name: DraftStore.didSaveNotification, object: self,
                    userInfo: ["count": text.count])
                completion(result)
                backgroundTask.end()
            }
        }
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private var ticks = 0

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.drafts.save", using: DispatchQueue.main
        ) { task in
            self.run(task)
        }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.drafts.save")
        try? BGTaskScheduler.shared.submit(request)
    }

    func applicationWillTerminate(_ application: UIApplication) {
        UserDefaults.standard.set(Date(), forKey: "terminated")
    }

    private func run(_ task: BGTask) {
        _ = NotificationCenter.default.addObserver(
            forName: DraftStore.didSaveNotification, object: nil, queue: nil
        ) { note in
            guard let count = note.userInfo?["count"] as? Int else { return }
            print("saved \(count) characters")
        }
        Timer.scheduledTimer(withTimeInterval: 0.02, repeats: true) { timer in
            self.ticks += 1
            guard self.ticks == 3 else { return }
            timer.invalidate()
            print("timer fired \(self.ticks) times")
            DraftStore.shared.save("Hello, world") { result in
                if case .success = result {
                    task.setTaskCompleted(success: true)
                } else {
                    task.setTaskCompleted(success: false)
                }
            }
        }
    }
}
