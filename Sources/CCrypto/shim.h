// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

// STACK_OF(X509) is a macro's type: the certificate of that number among those that the peer sent, its own first.
static inline X509 *offstage_sent_certificate(X509_STORE_CTX *verification, int index) {
    STACK_OF(X509) *sent = X509_STORE_CTX_get0_untrusted(verification);
    return index < sk_X509_num(sent) ? sk_X509_value(sent, index) : NULL;
}
