# Prints the named subroutines of Perl files by PPI: name, first line, last line and file, separated by tabs.
use strict;
use warnings;
use PPI;

while (my $file = <STDIN>) {
    chomp $file;
    my $document = PPI::Document->new($file, readonly => 1) or next;
    $document->index_locations;
    print "-\t0\t0\t$file\n";
    for my $sub (@{ $document->find('PPI::Statement::Sub') || [] }) {
        next if $sub->isa("PPI::Statement::Scheduled"); # BEGIN { … }
        next if $sub->forward || !$sub->name || !$sub->block;
        my $last = $sub->last_token->location->[0];
        printf "%s\t%d\t%d\t%s\n", $sub->name, $sub->location->[0], $last, $file;
    }
}
