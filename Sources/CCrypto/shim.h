// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

// STACK_OF(X509) is a macro's type: the certificate of that number among those that the peer sent, its own first.
static inline X509 *offstage_sent_certificate(X509_STORE_CTX *verification, int index) {
    STACK_OF(X509) *sent = X509_STORE_CTX_get0_untrusted(verification);
    return index < sk_X509_num(sent) ? sk_X509_value(sent, index) : NULL;
}

// HKDF (RFC 5869) with SHA-256, one of its halves: EVP_KDF_HKDF_MODE_EXTRACT_ONLY with a salt, or _EXPAND_ONLY with an info.
// 1 if it succeeds.
static inline int offstage_hkdf(
    int mode, const unsigned char *key, size_t key_count, const unsigned char *more, size_t more_count,
    unsigned char *result, size_t result_count
) {
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, OSSL_KDF_NAME_HKDF, NULL);
    EVP_KDF_CTX *context = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
    OSSL_PARAM params[5], *next = params;
    const char *name = mode == EVP_KDF_HKDF_MODE_EXTRACT_ONLY ? OSSL_KDF_PARAM_SALT : OSSL_KDF_PARAM_INFO;
    int is_made = 0;
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0);
    *next++ = OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode);
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_count);
    if (more_count > 0) *next++ = OSSL_PARAM_construct_octet_string(name, (void *)more, more_count);
    *next = OSSL_PARAM_construct_end();
    if (context) is_made = EVP_KDF_derive(context, result, result_count, params) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(kdf);
    return is_made;
}
