#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# form_parser.pl BOUNDARY <BODY
#
# Reads a multipart form with HTTP::MultiPartParser and prints, as JSON, what each part is: name, file name, type,
# length and SHA-256. Keeps no more of it than a piece.
use strict;
use warnings;

use Digest::SHA;
use Encode ();
use HTTP::MultiPartParser;
use JSON::PP;

my (@parts, $part, $hash);

# Names as browsers write them: quotes and line breaks percent-encoded, the rest UTF-8.
sub unescaped {
    my ($text) = @_;
    return undef unless defined $text;
    $text =~ s/%(22|0D|0A)/chr hex $1/ge;
    return Encode::decode('UTF-8', $text, Encode::FB_CROAK);
}

my $parser = HTTP::MultiPartParser->new(
    boundary  => $ARGV[0],
    on_error  => sub { die "$_[0]\n" },
    on_header => sub {
        my ($disposition, $type);
        for my $line (@{ $_[0] }) {
            $disposition = $1 if $line =~ /\A Content-Disposition: \s* (.*) \z/sxi;
            $type        = $1 if $line =~ /\A Content-Type: \s* (.*) \z/sxi;
        }
        die "a part has no Content-Disposition of form-data\n" unless defined $disposition && $disposition =~ /\Aform-data;/;
        my ($name)      = $disposition =~ /; \s* name="([^"]*)"/x;
        my ($file_name) = $disposition =~ /; \s* filename="([^"]*)"/x;
        $hash = Digest::SHA->new(256);
        $part = {
            name        => unescaped($name),
            fileName    => unescaped($file_name),
            contentType => $type,
            bytes       => 0,
        };
    },
    on_body => sub {
        my ($chunk, $is_last) = @_;
        $hash->add($chunk);
        $part->{bytes} += length $chunk;
        return unless $is_last;
        $part->{sha256} = $hash->hexdigest;
        push @parts, $part;
    },
);

binmode STDIN;
my $piece;
while (sysread STDIN, $piece, 1 << 20) { $parser->parse($piece) }
$parser->finish;
print JSON::PP->new->canonical->ascii->encode(\@parts);
