"""A sealed study keeps the contract it was sealed with, whatever came into the configuration since."""

from routeaudit.provenance.contract import promised, section_digest


def test_a_later_key_at_its_old_meaning_leaves_a_digest_as_it_was_sealed():
    sealed = {"alpha": 0.05, "n_boot": 9999}
    assert section_digest({**sealed, "p_tail": "monte_carlo"}) == section_digest(sealed)
    assert section_digest({**sealed, "p_tail": "resolved"}) != section_digest(sealed)
    assert promised({"stats": {"p_tail": "resolved"}}) == {"stats": {"p_tail": "resolved"}}
