//: swift 5
//: task com.example.downloads.check app-refresh
//: task com.example.downloads.session transfer
//: stay
//: waits saved lesson-1.mp4 (4 bytes)
//: ends com.example.downloads.check completed
//: ends com.example.downloads.session completed
//: waits saved lesson-2.mp4 (4 bytes)
//: says in flight:

import BackgroundTasks
import Combine
import UIKit

@propertyWrapper
struct UserDefault<Value> {
    let key: String
    let defaultValue: Value
    var storage: UserDefaults = .standard

    init(wrappedValue: Value, key: String) {
        self.defaultValue = wrappedValue
        self.key = key
    }

    var wrappedValue: Value {
        get { storage.object(forKey: key) as? Value ?? defaultValue }
        set { storage.set(newValue, forKey: key) }
    }

    var projectedValue: UserDefault<Value> { self }
    func reset() { storage.removeObject(forKey: key) }
}

enum Preferences {
    @UserDefault(key: "wifiOnly") static var wifiOnly = true
    @UserDefault(key: "finished") static var finished: [String] = []
}

final class Container {
    static let shared = Container()
    private var factories: [ObjectIdentifier: () -> Any] = [:]

    func register<T>(_ type: T.Type, factory: @escaping () -> T) {
        factories[ObjectIdentifier(type)] = factory
    }
    func resolve<T>(_ type: T.Type = T.self) -> T { factories[ObjectIdentifier(type)]!() as! T }
}

@propertyWrapper
struct Injected<T> {
    private lazy var value: T = Container.shared.resolve()
    var wrappedValue: T { mutating get { value } }
    init() {}
}

final class Download: NSObject {
    let url: URL
    var task: URLSessionDownloadTask?
    var resumeData: Data?
    @Published var progress = 0.0
    var observation: NSKeyValueObservation?

    init(url: URL) { self.url = url }
}

protocol DownloadServicing: AnyObject {
    var active: [URL: Download] { get }
    func start(_ url: URL)
    func pause(_ url: URL)
    func resume(_ url: URL)
    func restore(completion: @escaping ([URLSessionTask]) -> Void)
}

final class DownloadService: NSObject, DownloadServicing {
    private(set) var active: [URL: Download] = [:]
    var completionHandler: (() -> Void)?

    private lazy var session: URLSession = {
        let config = URLSessionConfiguration.background(
            withIdentifier: "com.example.downloads.session")
        config.allowsCellularAccess = !Preferences.wifiOnly
        config.waitsForConnectivity = true
        config.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        config.networkServiceType = .background
        config.shouldUseExtendedBackgroundIdleMode = true
        return URLSession(configuration: config, delegate: self, delegateQueue: .main)
    }()

    func start(_ url: URL) {
        let download = Download(url: url)
        let task = session.downloadTask(with: url)
        download.task = task
        download.observation = task.progress.observe(\.fractionCompleted, options: [.new]) {
            [weak download] progress, _ in
            download?.progress = progress.fractionCompleted
        }
        active[url] = download
        task.resume()
    }

    func pause(_ url: URL) {
        active[url]?.task?.cancel(byProducingResumeData: { [weak self] data in
            self?.active[url]?.resumeData = data
        })
    }

    func resume(_ url: URL) {
        guard let download = active[url] else { return }
        if let data = download.resumeData {
            download.task = session.downloadTask(withResumeData: data)
        } else {
            download.task = session.downloadTask(with: url)
        }
        download.task?.resume()
    }

    func restore(completion: @escaping ([URLSessionTask]) -> Void) {
        session.getAllTasks { tasks in
            DispatchQueue.main.async {
                for case let task as URLSessionDownloadTask in tasks {
                    guard let url = task.originalRequest?.url, self.active[url] == nil else {
                        continue
                    }
                    let download = Download(url: url)
                    download.task = task
                    self.active[url] = download
                }
                completion(tasks)
            }
        }
    }
}

extension DownloadService: URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard totalBytesExpectedToWrite != NSURLSessionTransferSizeUnknown else { return }
        let total = ByteCountFormatter.string(
            fromByteCount: totalBytesExpectedToWrite, countStyle: .file)
        print("\(totalBytesWritten) of \(total)")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard let source = downloadTask.originalRequest?.url else { return }
        let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)
            .first!
        let destination = documents.appendingPathComponent(source.lastPathComponent)
        try? FileManager.default.removeItem(at: destination)
        do {
            try FileManager.default.moveItem(at: location, to: destination)
            let attributes = try FileManager.default.attributesOfItem(atPath: destination.path)
            let size = (attributes[.size] as? NSNumber)?.int64Value ?? 0
            print("saved \(destination.lastPathComponent) (\(size) bytes)")
            Preferences.finished.append(source.lastPathComponent)
        } catch {
            print("could not move: \(error)")
        }
        active[source] = nil
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?)
    {
        guard let error = error, let url = task.originalRequest?.url else { return }
        active[url]?.resumeData =
            (error as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data
        switch (error as NSError).userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int {
        case NSURLErrorCancelledReasonUserForceQuitApplication: print("force quit")
        case NSURLErrorCancelledReasonBackgroundUpdatesDisabled: print("updates disabled")
        default: print(error)
        }
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.performDefaultHandling, nil)
    }

    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        print("waiting for connectivity")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        completionHandler?()
        completionHandler = nil
    }
}

final class DownloadsViewController: UICollectionViewController {
    @Injected private var service: DownloadServicing

    override func viewDidLoad() {
        super.viewDidLoad()
        collectionView.backgroundColor = .systemGroupedBackground
        navigationItem.leftBarButtonItem = editButtonItem
        navigationItem.rightBarButtonItem = UIBarButtonItem(
            systemItem: .refresh,
            primaryAction: UIAction { [weak self] _ in self?.service.restore { _ in } },
            menu: UIMenu(
                title: "",
                children: [
                    UIAction(title: "Pause All", image: UIImage(systemName: "pause")) { _ in }
                ]))
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let service = DownloadService()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        Container.shared.register(DownloadServicing.self) { [service] in service }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.downloads.check", using: .main
        ) { [service] task in
            let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"]!
            for lesson in 1...2 {
                service.start(
                    URL(string: server)!.appendingPathComponent("lesson-\(lesson)")
                        .appendingPathExtension("mp4"))
            }
            service.restore { tasks in
                print("in flight: \(tasks.filter { $0.state == .running }.count)")
                task.setTaskCompleted(success: true)
            }
        }
        return true
    }

    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(
            name: "Default Configuration", sessionRole: connectingSceneSession.role)
        configuration.delegateClass = SceneDelegate.self
        return configuration
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        service.completionHandler = completionHandler
        service.restore { _ in }
    }
}

class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = (scene as? UIWindowScene) else { return }
        let layout = UICollectionViewFlowLayout()
        layout.itemSize = CGSize(width: 100, height: 100)
        layout.minimumInteritemSpacing = 8
        window = UIWindow(windowScene: windowScene)
        window?.rootViewController = UINavigationController(
            rootViewController: DownloadsViewController(collectionViewLayout: layout))
        window?.makeKeyAndVisible()
    }
}
