//: swift 5
//: task com.example.gallery.prefetch app-refresh
//: run
//: ends com.example.gallery.prefetch completed
//: says decoded 3 images
//: says cached: true
//: logs Prefetch finished

import BackgroundTasks
import UIKit
import os.log

final class ImageStore {
    static let shared = ImageStore()
    private let cache: NSCache<NSString, NSData> = {
        let cache = NSCache<NSString, NSData>()
        cache.name = "com.example.gallery.images"
        cache.countLimit = 100
        cache.totalCostLimit = 50 * 1024 * 1024
        return cache
    }()
    subscript(key: String) -> Data? {
        get { return cache.object(forKey: key as NSString) as Data? }
        set {
            guard let data = newValue else {
                cache.removeObject(forKey: key as NSString)
                return
            }
            cache.setObject(data as NSData, forKey: key as NSString, cost: data.count)
        }
    }
}

final class LoadOperation: Operation {
    let name_: String
    private(set) var data: Data?

    init(imageName: String) {
        name_ = imageName
        super.init()
        name = "Load \(imageName)"
        qualityOfService = .utility
        queuePriority = .high
    }

    override func main() {
        guard !isCancelled else { return }
        data = name_.data(using: .utf8)
    }
}

final class DecodeOperation: Operation {
    var completion: ((Int) -> Void)?

    override func main() {
        let loads = dependencies.compactMap { $0 as? LoadOperation }
        for load in loads where load.data != nil {
            guard !isCancelled else { return }
            ImageStore.shared[load.name_] = load.data
        }
        completion?(loads.filter { $0.data != nil }.count)
    }
}

class Prefetcher: NSObject {
    static let log = OSLog(subsystem: "com.example.gallery", category: "prefetch")
    let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "Prefetch queue"
        queue.maxConcurrentOperationCount = 2
        queue.qualityOfService = .background
        return queue
    }()

    func prefetch(_ names: [String], completion: @escaping (Bool) -> Void) {
        let loads = names.map(LoadOperation.init(imageName:))
        let decode = DecodeOperation()
        loads.forEach(decode.addDependency)
        decode.completion = { count in print("decoded \(count) images") }
        decode.completionBlock = { [unowned decode] in
            os_log("Prefetch finished %d", log: Prefetcher.log, type: .info, names.count)
            completion(!decode.isCancelled)
        }
        queue.addOperations(loads + [decode], waitUntilFinished: false)
    }
}

class GalleryViewController: UITableViewController, UITableViewDataSourcePrefetching {
    private let prefetcher = Prefetcher()
    private var names = ["a.png", "b.png"]

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Gallery"
        tableView.register(UITableViewCell.self, forCellReuseIdentifier: "Cell")
        tableView.prefetchDataSource = self
        tableView.rowHeight = UITableView.automaticDimension
        tableView.estimatedRowHeight = 80
    }

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        return names.count
    }

    override func tableView(
        _ tableView: UITableView, cellForRowAt indexPath: IndexPath
    ) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "Cell", for: indexPath)
        cell.textLabel?.text = names[indexPath.row]
        if let data = ImageStore.shared[names[indexPath.row]] {
            cell.imageView?.image = UIImage(data: data)
        }
        return cell
    }

    func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath]) {
        prefetcher.prefetch(indexPaths.map { names[$0.row] }) { _ in }
    }

    func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath]) {
        prefetcher.queue.cancelAllOperations()
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    let prefetcher = Prefetcher()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        window = UIWindow(frame: UIScreen.main.bounds)
        window?.rootViewController = UINavigationController(
            rootViewController: GalleryViewController())
        window?.makeKeyAndVisible()
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.gallery.prefetch", using: nil
        ) { [prefetcher] task in
            task.expirationHandler = { prefetcher.queue.cancelAllOperations() }
            prefetcher.prefetch(["a.png", "b.png", "c.png"]) { success in
                print("cached: \(ImageStore.shared["b.png"] != nil)")
                task.setTaskCompleted(success: success)
            }
        }
        return true
    }
}
