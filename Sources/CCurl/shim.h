/* SPDX-License-Identifier: Apache-2.0 */
#include <curl/curl.h>

/* curl_easy_setopt and curl_easy_getinfo take any argument, which Swift cannot pass. */

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
