extension CurlEngine: TransferEngine {}
