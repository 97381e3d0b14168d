// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A use of ordinary programs that works in a confined handler as without confinement.
struct FriendlyProgram: Sendable {
    /// The identifier of its task is `org.test.NAME`.
    var name: String
    /// Programs in /usr/bin and /usr/sbin without which it is not run.
    var needs: [String]
    /// For bash, in an empty directory below the manifest's; `$HTTP` and `$HTTPS` are addresses of servers.
    var script: String

    init(_ name: String, needs: [String] = [], _ script: String) {
        self.name = name
        self.needs = needs
        self.script = script
    }

    /// The program that is missing on this machine.
    var missing: String? {
        needs.first { name in
            !["/usr/bin/", "/usr/sbin/"].contains { access($0 + name, X_OK) == 0 }
        }
    }

    static let all = files + shell + processes + network + languages + machine

    private static let files = [
        FriendlyProgram(
            "tar",
            """
            mkdir tree; echo text > tree/file; ln -s file tree/link; ln tree/file tree/hard; chmod 751 tree/file
            tar -czf tree.tgz tree; mkdir other; tar -xzpf tree.tgz -C other
            diff -r tree other/tree; test "$(stat -c %a%u other/tree/file)" = "751$(id -u)"
            """),
        FriendlyProgram(
            "rsync", needs: ["rsync"],
            "mkdir from; echo text > from/file; rsync -a from/ to/; diff -r from to"),
        FriendlyProgram(
            "compress", needs: ["xz", "gzip"],
            """
            head -c 300000 /dev/urandom > data
            xz -T2 -k data; xz -dc data.xz | cmp - data; gzip -k data; gzip -dc data.gz | cmp - data
            """),
        FriendlyProgram(
            "find",
            """
            mkdir -p a/b/c; touch a/1 a/b/2 "a/b/c/3 4"
            test "$(find a -type f -print0 | xargs -0 -P 2 -n 1 basename | wc -l)" = 3
            """),
        FriendlyProgram(
            "sort",
            """
            seq 300000 | sort -R > numbers; sort -n -S 1M --parallel=2 numbers > sorted
            seq 300000 | cmp - sorted
            """),
        FriendlyProgram(
            "mktemp",
            """
            for made in "$(mktemp)" "$(mktemp -d)" "$(mktemp -p /var/tmp)" "$(mktemp -p .)"; do test -e "$made"; done
            """),
        FriendlyProgram(
            "attributes",
            "touch file; chmod 640 file; touch -d 2020-01-01 file; cp -a file copy; truncate -s 1M file; mv file moved"
        ),
        FriendlyProgram("flock", needs: ["flock"], "flock lock flock -n other true"),
    ]

    private static let shell = [
        FriendlyProgram(
            "bash",
            """
            diff <(seq 3) <(printf '1\\n2\\n3\\n'); test "$(cat <<< here)" = here
            text=$(cat <<END
            a document
            END
            ); test "$text" = "a document"; mkfifo pipe; (echo sent > pipe &) ; test "$(cat pipe)" = sent
            exec 5>&1; echo > /dev/fd/5; echo > /dev/stderr; coproc cat; kill $COPROC_PID; ulimit -a
            """),
        FriendlyProgram(
            "perl", needs: ["perl"],
            "test \"$(perl -e 'print join \",\", map { $_ * 2 } 1..3')\" = 2,4,6"),
        FriendlyProgram(
            "awk", "seq 10 | awk '{ sum += $1 } END { print sum | \"cat\" }' | grep -x 55"),
        FriendlyProgram(
            "locale", needs: ["locale"],
            "locale; locale -a | grep -x C; LC_ALL=C.UTF-8 sort /etc/passwd"),
        FriendlyProgram(
            "date",
            "test \"$(TZ=Europe/Berlin date -d 2026-07-01T12:00:00Z +%H%z)\" = 14+0200; date"),
        FriendlyProgram(
            "terminal", needs: ["script"],
            "script -qec 'test -t 0 && echo yes' /dev/null < /dev/null | grep yes"),
    ]

    private static let processes = [
        FriendlyProgram(
            "start",
            """
            nice -n 5 nice | grep -x 5; timeout 30 true; timeout -s KILL 0.1 sleep 60 || test $? = 137
            setsid -w true; nohup true; sleep 60 & kill $!; wait $! || test $? = 143; env -i /bin/true
            """),
        FriendlyProgram(
            "ionice", needs: ["ionice", "taskset"],
            "ionice -c 3 true; taskset -c 0 true; chrt -b 0 true"),
        FriendlyProgram(
            "ps", needs: ["ps", "top"], "ps -ef | grep bash; ps aux; top -b -n1 | grep Tasks"),
        FriendlyProgram(
            "make", needs: ["make"],
            "printf 'all: a b\\na b:\\n\\ttouch $@\\n' > Makefile; make -j2; test -e b"),
    ]

    private static let network = [
        FriendlyProgram(
            "names", needs: ["getent"], "getent ahosts localhost; getent passwd root; id; hostname"),
        FriendlyProgram(
            "curl", needs: ["curl"], "test \"$(curl -sS \"$HTTP/file\")\" = text"),
        FriendlyProgram(
            "curl-tls", needs: ["curl"],
            "test \"$(curl -sS --cacert \"$APP/certificate.pem\" \"$HTTPS/file\")\" = text"),
        FriendlyProgram(
            "openssl", needs: ["openssl"],
            """
            openssl speed -seconds 1 sha256; openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=x -keyout k -out c
            """),
        FriendlyProgram("ip", needs: ["ip"], "ip addr | grep -w lo"),
        FriendlyProgram(
            "gpg", needs: ["gpg"],
            """
            gpg --batch --passphrase '' --quick-gen-key test@example.org default default
            echo text | gpg --batch -e -r test@example.org | gpg --batch -d | grep -x text
            """),
        FriendlyProgram(
            "ssh-keygen", needs: ["ssh-keygen"],
            "ssh-keygen -q -t ed25519 -N '' -f key; ssh-keygen -lf key.pub"),
    ]

    private static let languages = [
        FriendlyProgram(
            "git", needs: ["git"],
            """
            git init -q one; cd one; git config user.name x; git config user.email x@example.org
            echo text > file; git add file; git commit -qm first; git gc -q
            cd ..; git clone -q one two; git clone -q "file://$PWD/one" three; diff one/file three/file; git -C two fsck
            """),
        FriendlyProgram(
            "python", needs: ["python3"],
            """
            cat > work.py <<'END'
            import ctypes, multiprocessing, os, sqlite3, subprocess, tempfile, threading
            from multiprocessing import shared_memory

            def square(number):
                return number * number

            def add(lock, value):
                for _ in range(100):
                    with lock:
                        value.value += 1

            if __name__ == "__main__":
                for method in ("fork", "spawn", "forkserver"):
                    context = multiprocessing.get_context(method)
                    with context.Pool(3) as pool:
                        assert pool.map(square, range(9)) == [n * n for n in range(9)]
                    lock, value = context.Lock(), context.Value("i", 0, lock=False)
                    workers = [context.Process(target=add, args=(lock, value)) for _ in range(3)]
                    for worker in workers: worker.start()
                    for worker in workers: worker.join()
                    assert value.value == 300
                memory = shared_memory.SharedMemory(create=True, size=1 << 20)
                memory.buf[:4] = b"text"
                memory.close()
                memory.unlink()
                with multiprocessing.Manager() as manager: manager.dict()["key"] = 1
                library = ctypes.CDLL(None)
                compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))(
                    lambda left, right: left[0] - right[0])
                numbers = (ctypes.c_int * 3)(3, 1, 2)
                library.qsort(numbers, 3, ctypes.sizeof(ctypes.c_int), compare)
                assert list(numbers) == [1, 2, 3]
                threads = [threading.Thread(target=square, args=(n,)) for n in range(8)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                assert subprocess.run(["id", "-u"], capture_output=True).stdout.strip() == b"%d" % os.getuid()
                tempfile.TemporaryFile().write(b"x")
            END
            /usr/bin/python3 work.py
            """),
        FriendlyProgram(
            "sqlite", needs: ["sqlite3"],
            """
            test "$(sqlite3 data 'pragma journal_mode=wal; create table t(x); insert into t values (1),(2);')" = wal
            sqlite3 data 'insert into t select x from t' & sqlite3 data 'select count(*) from t'; wait
            sqlite3 data 'vacuum; pragma integrity_check' | grep -x ok
            """),
        FriendlyProgram(
            "gcc", needs: ["gcc"],
            """
            echo '#include <pthread.h>
            static void *run(void *x) { return x; }
            int main(void) { pthread_t t; return pthread_create(&t, 0, run, 0) || pthread_join(t, 0); }' > program.c
            gcc -O2 -pthread program.c -o program; ./program
            """),
        FriendlyProgram(
            "rust", needs: ["rustc"],
            "echo 'fn main() { print!(\"text\") }' > x.rs; rustc x.rs; test \"$(./x)\" = text"),
        FriendlyProgram(
            "node", needs: ["node"],
            """
            cat > work.js <<'END'
            const { Worker, isMainThread } = require('worker_threads');
            let sum = 0;
            for (let number = 0; number < 3e6; number++) sum += number % 7;
            if (isMainThread) new Worker(__filename).on('exit', code => process.exit(code));
            END
            node work.js; node -e 'require("child_process").execSync("true")'
            """),
        FriendlyProgram(
            "java", needs: ["java", "javac"],
            """
            echo 'public class Work { public static void main(String[] x) { System.out.print("text"); } }' > Work.java
            javac Work.java; test "$(java Work)" = text
            """),
    ]

    private static let machine = [
        FriendlyProgram("df", "df .; df -h; free; uname -a; nproc; uptime"),
        // Whether there is a log is the machine's matter; it must not hang.
        FriendlyProgram("logger", needs: ["logger"], "timeout 60 logger text || test $? != 124"),
        FriendlyProgram(
            "devices",
            """
            head -c 10 /dev/urandom > /dev/null; test "$(head -c 3 /dev/zero | wc -c)" = 3
            (echo > /dev/full) 2>/dev/null && exit 1; test -r /proc/self/status; cat /proc/cpuinfo /proc/meminfo > /dev/null
            """),
    ]
}
