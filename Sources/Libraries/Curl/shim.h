/* SPDX-License-Identifier: Apache-2.0 */
#include <curl/curl.h>

/* curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt take any argument, which Swift cannot pass. */

static inline CURLcode bgrun_curl_set_number(CURL *curl, CURLoption option, long value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode bgrun_curl_set_text(CURL *curl, CURLoption option, const char *value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode bgrun_curl_set_pointer(CURL *curl, CURLoption option, void *value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode bgrun_curl_set_writer(CURL *curl, curl_write_callback writer, void *data) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, writer);
    return code ? code : curl_easy_setopt(curl, CURLOPT_WRITEDATA, data);
}

static inline long bgrun_curl_number(CURL *curl, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(curl, info, &value);
    return value;
}

static inline curl_off_t bgrun_curl_offset(CURL *curl, CURLINFO info) {
    curl_off_t value = 0;
    curl_easy_getinfo(curl, info, &value);
    return value;
}

/* NULL, or owned by `curl`. */
static inline const char *bgrun_curl_text(CURL *curl, CURLINFO info) {
    char *value = NULL;
    curl_easy_getinfo(curl, info, &value);
    return value;
}

static inline CURLcode bgrun_curl_set_offset(CURL *curl, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode bgrun_curl_set_header_reader(CURL *curl, curl_write_callback reader,
                                                    void *data) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, reader);
    return code ? code : curl_easy_setopt(curl, CURLOPT_HEADERDATA, data);
}

/* `source` provides the body to send, `rewind` seeks in it. */
static inline CURLcode bgrun_curl_set_source(CURL *curl, curl_read_callback source,
                                             curl_seek_callback rewind, void *data) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_READFUNCTION, source);
    if (!code) code = curl_easy_setopt(curl, CURLOPT_READDATA, data);
    if (!code) code = curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, rewind);
    return code ? code : curl_easy_setopt(curl, CURLOPT_SEEKDATA, data);
}

static inline CURLMcode bgrun_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode bgrun_curl_multi_set_callbacks(CURLM *multi, curl_socket_callback socket,
                                                       curl_multi_timer_callback timer,
                                                       void *data) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, data);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    return code ? code : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, data);
}
