// SPDX-License-Identifier: Apache-2.0 OR 0BSD
// bgrun.hpp: bgrun_plugin.h for C++17. A handler is `void handler(bgrun::task &)`; it ends the
// attempt by returning, and an exception that leaves it is a failure with its message.
#ifndef BGRUN_HPP
#define BGRUN_HPP

#include <bgrun_plugin.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace bgrun {

enum class level : std::uint32_t {
    debug = BGRUN_LOG_DEBUG,
    info = BGRUN_LOG_INFO,
    warning = BGRUN_LOG_WARNING,
    error = BGRUN_LOG_ERROR
};

namespace detail {
inline const bgrun_host *host = nullptr;
// Protects no data, because is_expired is atomic, but ensures that a sleeper does not miss the call.
inline std::mutex lock;
inline std::condition_variable expiration;
} // namespace detail

/// One attempt. Exists while the handler runs; its member functions may be called on any thread.
class task {
public:
    task(bgrun_task *handle, const bgrun_launch *launch) : handle_(handle), launch_(launch) {}
    ~task() {
        if (!reported_) fail("the handler returned without a report");
    }
    task(const task &) = delete;
    task &operator=(const task &) = delete;

    const char *identifier() const noexcept { return launch_->identifier; }
    /// A JSON object, "{}" when the manifest has no parameters.
    const char *parameters_json() const noexcept { return launch_->parameters_json; }
    /// Absolute; relative paths in parameters start here.
    const char *manifest_directory() const noexcept { return launch_->manifest_directory; }
    /// 1 for the first attempt of a request.
    std::uint32_t attempt() const noexcept { return launch_->attempt; }

    /// Whether the time is revoked: stop, save, report.
    bool expired() const noexcept { return detail::host->is_expired(handle_) != 0; }
    /// Whether bgrun would like the work to stop at the next good place.
    bool should_defer() const noexcept { return detail::host->should_defer(handle_) != 0; }
    /// Sleeps for this time, or until the time is revoked; returns false if it is revoked.
    template <class Rep, class Period>
    bool wait(std::chrono::duration<Rep, Period> time) const {
        std::unique_lock<std::mutex> held(detail::lock);
        return !detail::expiration.wait_for(held, time, [this] { return expired(); });
    }

    void progress(std::int64_t completed, std::int64_t total = 0) const noexcept {
        detail::host->set_progress(handle_, completed, total);
    }
    void title(const char *title, const char *subtitle = nullptr) const noexcept {
        detail::host->set_title(handle_, title, subtitle);
    }
    void log(level severity, const std::string &message) const noexcept {
        detail::host->log(
            detail::host, handle_, static_cast<std::uint32_t>(severity), message.c_str());
    }

    /// The checkpoint, if there is one of this version and size.
    template <class Value> std::optional<Value> checkpoint(std::uint32_t version) const {
        static_assert(std::is_trivially_copyable<Value>::value, "it is stored as its bytes");
        Value value{};
        std::uint64_t size = 0;
        std::uint32_t stored = 0;
        const auto *store = checkpoints();
        if (store == nullptr ||
            store->get(handle_, &value, sizeof value, &size, &stored) != BGRUN_OK ||
            stored != version || size != sizeof value)
            return std::nullopt;
        return value;
    }
    /// Replaces the checkpoint and returns when it is on disk; throws if it cannot be stored.
    template <class Value> void save(std::uint32_t version, const Value &value) const {
        static_assert(std::is_trivially_copyable<Value>::value, "it is stored as its bytes");
        const auto *store = checkpoints();
        if (store == nullptr || store->put(handle_, version, &value, sizeof value) != BGRUN_OK)
            throw std::runtime_error("the checkpoint could not be stored");
    }

    /// Ends the attempt. Later reports are ignored.
    void succeed(const std::string &message) noexcept { complete(1, message); }
    void fail(const std::string &message) noexcept { complete(0, message); }

    /// For functions of bgrun_plugin.h that this class does not have.
    bgrun_task *handle() const noexcept { return handle_; }
    static const bgrun_host *host() noexcept { return detail::host; }

private:
    static const bgrun_checkpoint_ext *checkpoints() noexcept {
        return static_cast<const bgrun_checkpoint_ext *>(
            detail::host->get_extension(detail::host, BGRUN_EXT_CHECKPOINT));
    }
    void complete(std::int32_t success, const std::string &message) noexcept {
        reported_ = true;
        detail::host->complete(handle_, success, message.c_str());
    }

    bgrun_task *handle_;
    const bgrun_launch *launch_;
    std::atomic<bool> reported_{false};
};

struct handler {
    const char *name;
    void (*run)(task &);
};

namespace detail {

// An exception must not unwind into bgrun. The destructor of a task reports if its handler did not.
inline void launch(void *given, bgrun_task *handle, const bgrun_launch *launch) noexcept {
    task attempt(handle, launch);
    try {
        static_cast<const handler *>(given)->run(attempt);
    } catch (const std::exception &error) {
        attempt.fail(error.what());
    } catch (...) {
        attempt.fail("an exception that is not a std::exception");
    }
}

inline void expire(void *, bgrun_task *, const bgrun_expiration *) noexcept {
    std::lock_guard<std::mutex> held(lock);
    expiration.notify_all();
}

template <std::size_t count>
std::int32_t init(const bgrun_host *given, const handler (&handlers)[count]) noexcept {
    host = given;
    for (const handler &each : handlers) {
        bgrun_handler entry{};
        entry.struct_size = sizeof entry;
        entry.name = each.name;
        entry.user_data = const_cast<handler *>(&each);
        entry.launch = launch;
        entry.expire = expire;
        if (std::int32_t result = given->register_handler(given, &entry); result != BGRUN_OK)
            return result;
    }
    return BGRUN_OK;
}

} // namespace detail
} // namespace bgrun

/// Once in a plugin: BGRUN_PLUGIN("name", "version", {"handler", function}, ...)
#define BGRUN_PLUGIN(plugin_name, plugin_version, ...)                                             \
    static const bgrun::handler bgrun_handlers[] = {__VA_ARGS__};                                  \
    static std::int32_t bgrun_init(const bgrun_host *host) noexcept {                              \
        return bgrun::detail::init(host, bgrun_handlers);                                          \
    }                                                                                              \
    extern "C" const bgrun_plugin *bgrun_plugin_entry(std::uint32_t version) {                     \
        static const bgrun_plugin plugin = {                                                       \
            sizeof plugin, BGRUN_ABI_VERSION, 0,          0, plugin_name,                          \
            plugin_version, bgrun_init,       nullptr};                                            \
        return version >> 16 == BGRUN_ABI_MAJOR ? &plugin : nullptr;                               \
    }

#endif
