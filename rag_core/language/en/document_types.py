"""English: words that tell the type of a document."""

from rag_core.language.document_types import DocumentTypeWords
from rag_core.language.words import word_set

DOCUMENT_TYPES = DocumentTypeWords(
    words={
        "contract": word_set(
            """
            agreement contract deed lease parties party hereby herein hereinafter whereas witness executed landlord tenant lessor
            lessee licensor licensee seller buyer purchaser borrower lender covenants indemnify indemnification term terminate
            termination consideration governed governing_law in_writing default forfeited breach liability clause assign sublet
            obligations undertakes survive exhibit grant grants revocable exclusive warranty accept_terms terms conditions loan
            borrows lends insure reproduction_rights signed copies own_expense refund_software sole notice_period royalties
            assignor guarantor guarantee penalty property deposit rent repay owner obligation arbitration remedies severable
            """
        ),
        "invoice": word_set(
            """
            invoice receipt bill bill_to subtotal total vat tax amount_due balance_due due qty quantity unit_price payment paid pay
            charged card remit bank_transfer sort_code direct_debit order shipping credit_note charges standing_charge billing
            folio purchase account discount sum fee fees consultation settle fortnight ref kindly dispensing labour parts price net
            gross unit hours rate per_hour statement_account outstanding overdue cash change_given euros dollars pounds usd gbp
            item items order_number nights
            """
        ),
        "report": word_set(
            """
            report summary findings results conclusion conclusions recommend recommended recommendation recommendations study
            survey surveyed analysis data figure table mean respondents compared increased rose fell declined grew growth revenue
            quarter annual inspected inspection observed evidence method suggest indicate significant incident root_cause impact
            timeline outlook limitations contributing estimates counted down_from up_from average losses detected decline period
            previous_year percent total found measured team likely caused cause repeated assessment evaluation sample per_cent
            compared_with monitoring progress delay delays site_visit overall trend risk risks interviews
            """
        ),
        "manual": word_set(
            """
            manual guide instructions press click select insert remove turn plug open close install download unpack connect replace
            tighten check clean wait hold run load brush allow reattach caution warning button screw screws device unit menu
            settings troubleshooting step steps getting_started quick_start how_to before_use user_guide error administrator
            sign_in go_to type save restart hold_down key clockwise fit never lift lower raise nut wind socket cable battery charge
            reset screen tap swipe light_blinks blinks filter hose drain rinse lubricate oil password network router forgot
            then_press make_sure
            """
        ),
        "presentation": word_set(
            """
            slide slides deck presentation presenter speaker talk workshop agenda outline overview questions thank_you thanks
            takeaways key_takeaways next_steps roadmap background approach demo team traction about_me who_we where_we the_ask
            ask_approve approve vision mission photo myths myth market competition strategy goals risks milestones plan
            any_questions try_it recap highlights q_a pitch
            """
        ),
        "correspondence": word_set(
            """
            dear dearest hi hello regards sincerely faithfully love cheers subject cc attached writing_to look_forward let_know
            hear_from get_touch best_wishes kind_regards your_letter reply many_thanks hesitate following_up thank_you wish_to
            forgive yours ever_yours parcel tea wedding mother darling mum_and miss_you see_you tell_me write_soon sorry_for thank
            please_find enclosed letter wishes good_morning good_afternoon apologise delighted congratulations hope_you reach_me
            speak_soon
            """
        ),
        "policy": word_set(
            """
            policy policies rules statement procedure staff employees users members contractors volunteers prohibited permitted
            allowed forbidden mandatory approval approved compliance comply violations violation disciplinary suspension scope
            applies responsible reviewed rights privacy personal_data restricted effective eligible reserves right misconduct
            confidential conduct exceptions expected tolerated welcome lead barbecues quiet refused harassment consent ban banned
            remove safety guests visitors smoking alcohol leave annual_leave overtime claims apply entitlement must_be
            not_permitted shall_be expected_to code_conduct respect zero_tolerance anyone donors donations
            """
        ),
        "specification": word_set(
            """
            specification requirements requirement req system must shall should implementations field fields bytes byte bit utf
            encoded encoding json integer unsigned schema version header payload parser protocol dimensions weight voltage capacity
            material thickness tolerance temperature rating grade iso compliance acceptance_criteria minimum maximum exceed load
            response_time interface behaviour results_appear ms px keys enter escape case default frame checksum receiver sender
            octets reserved width height length diameter depth class colour batch supplier coating standard mm cm kg db hz
            error_code input output value values type string array required optional timeout endpoint request response
            """
        ),
        "meeting_notes": word_set(
            """
            minutes meeting present attendees attending apologies agenda action actions action_items agreed decided decision
            decisions proposed seconded todo standup sync retro next_meeting follow call owner blocked adjourned closed council
            discussed met volunteered still_open committee parked kickoff on_line they_want will_draft draft sort_out back_here
            by_wednesday by_friday by_monday chair chaired secretary quorum motion vote
            voted round updates update risks_raised raised reported deferred postponed look_into everyone tbc recap_call
            """
        ),
    },
    first_person=word_set(
        "i me my today yesterday tomorrow tonight mum dad went feel felt couldn should_have keep_thinking"
    ),
    second_person=word_set("you your yours"),
    obligations=word_set("must shall should may required prohibited permitted allowed mandatory forbidden not_be"),
)
